import type { Transport } from './lsp/connection.js';

export type Command =
  | { readonly kind: 'serve'; readonly transport: Transport }
  /** Estimates models' memory for the server that started this process. */
  | { readonly kind: 'estimates' }
  | { readonly kind: 'version' }
  | { readonly kind: 'help' }
  | { readonly kind: 'mistake'; readonly message: string };

export const USAGE = `Usage: inkling-server --stdio | --node-ipc

Local code completion as a language server (LSP 3.18, textDocument/inlineCompletion).

  --stdio      speak LSP over standard input and output
  --node-ipc   speak LSP over the channel of a Node parent process
  --estimates  answer memory estimates to the server that started this process
  --version    print the version
  --help       print this text

Environment:
  INKLING_NATIVE_DIR    the folder of the native binaries, instead of the one beside the server
  INKLING_STATE_DIR     a folder for local statistics; none are kept without it
  INKLING_CPU_FLAVOUR   avx2 or avx512, instead of the best that the processor can run
`;

/** Ignores unknown arguments: editors add some of their own, such as `--clientProcessId=1234`. */
export function parseArguments(args: readonly string[]): Command {
  if (args.includes('--help') || args.includes('-h')) return { kind: 'help' };
  if (args.includes('--version') || args.includes('-v')) return { kind: 'version' };
  const stdio = args.includes('--stdio');
  const nodeIpc = args.includes('--node-ipc');
  if (args.includes('--estimates')) return { kind: 'estimates' };
  if (stdio && nodeIpc) return { kind: 'mistake', message: '--stdio and --node-ipc exclude each other' };
  if (stdio) return { kind: 'serve', transport: 'stdio' };
  if (nodeIpc) return { kind: 'serve', transport: 'node-ipc' };
  return { kind: 'mistake', message: 'say how to talk: --stdio or --node-ipc' };
}
