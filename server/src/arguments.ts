import type { Transport } from './lsp/connection/connection.js';

export type Command =
  | { readonly kind: 'serve'; readonly transport: Transport }
  /** Estimates models' memory for the server that started this process. */
  | { readonly kind: 'estimates' }
  /** Lists the devices of this machine and tries all but the skipped ones. */
  | { readonly kind: 'devices'; readonly skipped: readonly string[] }
  | { readonly kind: 'version' }
  | { readonly kind: 'help' }
  | { readonly kind: 'mistake'; readonly message: string };

export const USAGE = `Usage: inkling-server --stdio | --node-ipc

A language server for private code completion (LSP 3.18, textDocument/inlineCompletion).

  --stdio      use standard input and output for LSP
  --node-ipc   use the channel of a Node parent process for LSP
  --estimates  answer memory estimates to the server that started this process
  --devices    print the devices of this machine that can run models, and try each of them
  --version    print the version
  --help       print this text

Environment:
  INKLING_NATIVE_DIR     folder of the native binaries; default: beside the server
  INKLING_STATE_DIR      folder for what is learned and measured; default: none, so each session starts again
  INKLING_CPU_FLAVOUR    avx2 or avx512, arm64 or dotprod; default: the best that the processor supports
  INKLING_REMOTE_KEY     API key of the remote server
  INKLING_REMOTE_ORIGIN  origin that the key is for, such as https://gpu-box:8443
`;

/** Ignores unknown arguments: editors add some of their own, such as `--clientProcessId=1234`. */
export function parseArguments(args: readonly string[]): Command {
  if (args.includes('--help') || args.includes('-h')) return { kind: 'help' };
  if (args.includes('--version') || args.includes('-v')) return { kind: 'version' };
  const stdio = args.includes('--stdio');
  const nodeIpc = args.includes('--node-ipc');
  if (args.includes('--devices')) return { kind: 'devices', skipped: listOf(args, '--skip=') };
  if (args.includes('--estimates')) return { kind: 'estimates' };
  if (stdio && nodeIpc) return { kind: 'mistake', message: 'use --stdio or --node-ipc, not both' };
  if (stdio) return { kind: 'serve', transport: 'stdio' };
  if (nodeIpc) return { kind: 'serve', transport: 'node-ipc' };
  return { kind: 'mistake', message: 'choose --stdio or --node-ipc' };
}

function listOf(args: readonly string[], name: string): readonly string[] {
  const value = args.find((arg) => arg.startsWith(name))?.slice(name.length) ?? '';
  return value === '' ? [] : value.split(',');
}
