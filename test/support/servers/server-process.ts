import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type CancellationToken,
  createProtocolConnection,
  DidChangeTextDocumentNotification,
  DidCloseTextDocumentNotification,
  DidOpenTextDocumentNotification,
  ExitNotification,
  InitializedNotification,
  InitializeRequest,
  type InitializeResult,
  type InlineCompletionItem,
  type InlineCompletionParams,
  InlineCompletionRequest,
  InlineCompletionTriggerKind,
  IPCMessageReader,
  IPCMessageWriter,
  LogMessageNotification,
  type Position,
  type ProtocolConnection,
  ShutdownRequest,
  StreamMessageReader,
  StreamMessageWriter,
  type TextDocumentContentChangeEvent,
} from 'vscode-languageserver-protocol/node';
import {
  type EngineState,
  type InklingStatus,
  LOAD_NOTIFICATION,
  STATUS_NOTIFICATION,
  STATUS_REQUEST,
} from '../../../server/protocol/index.js';
import { NO_DRIVER, withoutGpus } from './cpu-addons.js';

/** The repository's root, where npm starts tests, session and benchmarks. */
export const repositoryRoot = process.cwd();
export const serverBundle = resolve(repositoryRoot, 'dist/server.js');
export const starterModel = resolve(repositoryRoot, 'media/model/inkling-starter-55m-Q4_K_M.gguf');

export interface ServerProcessOptions {
  readonly transport?: 'stdio' | 'node-ipc';
  readonly environment?: NodeJS.ProcessEnv;
  /** A program that becomes the server, with its arguments, such as one that sets limits. */
  readonly through?: readonly string[];
  /** A server with its arguments, but for that of the transport; by default the built one in this Node. */
  readonly command?: readonly string[];
}

/** Tests of GPUs name their driver; other servers look for none. A packaged server keeps its own addons. */
function environmentOf(isBuiltHere: boolean, asked: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const isOfGpus = 'VK_DRIVER_FILES' in asked;
  return { ...(isBuiltHere && !isOfGpus ? withoutGpus() : NO_DRIVER), ...asked };
}

/** The built server as a child process, driven over LSP like by an editor. */
export class ServerProcess {
  readonly child: ChildProcess;
  readonly connection: ProtocolConnection;
  readonly spawnedAt = performance.now();
  /** Every `inkling/status` so far, oldest first. */
  readonly statuses: InklingStatus[] = [];
  readonly logs: string[] = [];
  stderr = '';
  readonly #exit: Promise<number | null>;
  readonly #open = new Set<string>();

  constructor({ transport = 'stdio', environment = {}, through = [], command }: ServerProcessOptions = {}) {
    const stdio =
      transport === 'stdio' ? (['pipe', 'pipe', 'pipe'] as const) : (['ignore', 'pipe', 'pipe', 'ipc'] as const);
    const started = command ?? [process.execPath, serverBundle];
    const [program = process.execPath, ...args] = [...through, ...started, `--${transport}`];
    this.child = spawn(program, args, {
      stdio: [...stdio],
      env: { ...process.env, ...environmentOf(command === undefined, environment) },
    });
    this.#exit = once(this.child, 'exit').then(([code]) => code as number | null);
    this.child.stderr?.on('data', (chunk: Buffer) => {
      this.stderr += chunk.toString();
    });
    this.connection = this.#connect(transport);
    this.connection.onNotification(STATUS_NOTIFICATION, (status: InklingStatus) => void this.statuses.push(status));
    this.connection.onNotification(LogMessageNotification.type, ({ message }) => void this.logs.push(message));
    this.connection.listen();
  }

  #connect(transport: 'stdio' | 'node-ipc'): ProtocolConnection {
    const { stdin, stdout } = this.child;
    if (transport === 'node-ipc') {
      return createProtocolConnection(new IPCMessageReader(this.child), new IPCMessageWriter(this.child));
    }
    if (stdin === null || stdout === null) throw new Error('The server process has no standard streams');
    // Writing to a server that has just ended fails; the tests check its exit code instead.
    stdin.on('error', () => undefined);
    return createProtocolConnection(new StreamMessageReader(stdout), new StreamMessageWriter(stdin));
  }

  async initialize(
    initializationOptions?: unknown,
    workspaceFolder?: string,
    processId: number | null = process.pid,
  ): Promise<InitializeResult> {
    const result = await this.connection.sendRequest(InitializeRequest.type, {
      processId,
      rootUri: null,
      capabilities: { textDocument: { inlineCompletion: {} } },
      initializationOptions,
      workspaceFolders: workspaceFolder === undefined ? null : [{ uri: workspaceFolder, name: 'workspace' }],
    });
    await this.connection.sendNotification(InitializedNotification.type, {});
    return result;
  }

  status(): Promise<InklingStatus> {
    return this.connection.sendRequest<InklingStatus>(STATUS_REQUEST);
  }

  /** Waits for a state; an error state ends the wait for any other. */
  async waitForState(kind: EngineState['kind'], timeoutMs = 60_000): Promise<InklingStatus> {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const status = await this.status();
      if (status.state.kind === kind) return status;
      if (status.state.kind === 'error') throw new Error(`The engine failed: ${status.state.error.message}`);
      if (performance.now() > deadline)
        throw new Error(`Still ${status.state.kind} after ${timeoutMs} ms, not ${kind}`);
      await delay(15);
    }
  }

  /** Sends what the user's *Try again* sends, and waits until the error of before is gone. */
  async tryAgain(timeoutMs = 60_000): Promise<void> {
    const deadline = performance.now() + timeoutMs;
    await this.connection.sendNotification(LOAD_NOTIFICATION, {});
    // The server first looks whether the model's file still is the one that failed.
    while ((await this.status()).state.kind === 'error') {
      if (performance.now() > deadline) throw new Error(`The error is still there after ${timeoutMs} ms`);
      await delay(15);
    }
  }

  open(uri: string, languageId: string, text: string, version = 1): Promise<void> {
    this.#open.add(uri);
    return this.connection.sendNotification(DidOpenTextDocumentNotification.type, {
      textDocument: { uri, languageId, version, text },
    });
  }

  close(uri: string): Promise<void> {
    this.#open.delete(uri);
    return this.connection.sendNotification(DidCloseTextDocumentNotification.type, { textDocument: { uri } });
  }

  /** For tests that share a server: the documents of one are not there in the next. */
  async closeAll(): Promise<void> {
    for (const uri of [...this.#open]) await this.close(uri);
  }

  change(uri: string, version: number, contentChanges: TextDocumentContentChangeEvent[]): Promise<void> {
    return this.connection.sendNotification(DidChangeTextDocumentNotification.type, {
      textDocument: { uri, version },
      contentChanges,
    });
  }

  async complete(
    uri: string,
    position: Position,
    token?: CancellationToken,
    context: Partial<InlineCompletionParams['context']> = {},
  ): Promise<InlineCompletionItem[]> {
    const result = await this.connection.sendRequest(
      InlineCompletionRequest.type,
      {
        textDocument: { uri },
        position,
        context: { triggerKind: InlineCompletionTriggerKind.Automatic, ...context },
      },
      token,
    );
    return Array.isArray(result) ? result : (result?.items ?? []);
  }

  get pid(): number {
    if (this.child.pid === undefined) throw new Error('The server process did not start');
    return this.child.pid;
  }

  exited(): Promise<number | null> {
    return this.#exit;
  }

  /** Ends the server like an editor, and returns its exit code. */
  async shutdown(): Promise<number | null> {
    await this.connection.sendRequest(ShutdownRequest.type);
    await this.connection.sendNotification(ExitNotification.type);
    const code = await this.#exit;
    this.connection.dispose();
    return code;
  }

  /** Ends the server at the end of a test, in any state. */
  async dispose(): Promise<void> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      this.child.kill('SIGKILL');
      await this.#exit;
    }
    this.connection.dispose();
  }
}
