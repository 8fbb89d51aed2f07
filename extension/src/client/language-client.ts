import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { LogOutputChannel } from 'vscode';
import {
  CloseAction,
  ErrorAction,
  LanguageClient,
  type LanguageClientOptions,
  type MessageTransports,
  type Middleware,
  type NodeModule,
  NotificationType,
  RevealOutputChannelOn,
  State,
  TransportKind,
} from 'vscode-languageclient/node';
import {
  CHAT_PIECES_NOTIFICATION,
  type ChatPieces,
  currentTranslations,
  type InklingStatus,
  MEMORY_SAMPLE_NOTIFICATION,
  type MemorySample,
  NEXT_EDIT_NOTIFICATION,
  type NextEditAnnouncement,
  STATUS_NOTIFICATION,
} from '../../../server/protocol/index.js';
import { DOCUMENT_SCHEMES } from '../editor/document-schemes.js';
import { CONFIGURATION_SECTION, type WrittenSettings } from '../manifest/settings.js';
import { describeError } from '../texts/log.js';

// Only server-life.ts imports this file, and lazily: vscode-languageclient is most of the bundle.

const SHUTDOWN_TIMEOUT_MS = 2_000;
const EXIT_TIMEOUT_MS = 1_000;
/** The kernel may need seconds to free the memory of a killed process. A driver that hangs may keep it forever. */
const KILL_TIMEOUT_MS = 10_000;

/** `.vscode/launch.json` attaches to it. */
const DEBUG_PORT = 6009;

/** In a row; the connection is then useless, and the process with it. */
const MAX_CONNECTION_ERRORS = 3;

export interface InklingClientOptions {
  /** Absolute path of dist/server.js. */
  readonly serverModule: string;
  readonly log: LogOutputChannel;
  readonly middleware: Middleware;
  readonly writtenSettings: () => WrittenSettings;
  /** A folder for the server's files that survive a session. */
  readonly stateDirectory: string;
  /** A model with which the server crashed too often; null for none. */
  readonly crashedModel: string | null;
  readonly variables: Readonly<Record<string, string>>;
  readonly onStatus: (status: InklingStatus) => void;
  readonly onMemorySample: (sample: MemorySample) => void;
  readonly onChatPieces: (pieces: ChatPieces) => void;
  readonly onNextEdit: (announcement: NextEditAnnouncement) => void;
  /** The connection ended unexpectedly. */
  readonly onClosed: () => void;
}

/** A client that never opens a dialog (the status bar shows errors) and that ends its process reliably. */
export class InklingClient extends LanguageClient {
  #child: ChildProcess | null = null;

  readonly #options: InklingClientOptions;

  constructor(options: InklingClientOptions) {
    super(CONFIGURATION_SECTION, 'Inkling', serverOptions(options), {
      ...clientOptions(options),
      errorHandler: {
        error: (error, _message, count) => {
          options.log.error(`The connection to the server fails: ${error.message}`);
          // Ends the process, so that the connection closes and the crash policy decides.
          if ((count ?? 1) > MAX_CONNECTION_ERRORS) this.kill();
          return { action: ErrorAction.Continue, handled: true };
        },
        closed: () => {
          options.onClosed();
          return { action: CloseAction.DoNotRestart, handled: true, message: 'The connection to the server closed.' };
        },
      },
      // Without this handler the client shows the error that `start` rejects with.
      initializationFailedHandler: () => false,
    });
    this.#options = options;
    this.onNotification(new NotificationType<InklingStatus>(STATUS_NOTIFICATION), options.onStatus);
    this.onNotification(new NotificationType<MemorySample>(MEMORY_SAMPLE_NOTIFICATION), options.onMemorySample);
    this.onNotification(new NotificationType<ChatPieces>(CHAT_PIECES_NOTIFICATION), options.onChatPieces);
    this.onNotification(new NotificationType<NextEditAnnouncement>(NEXT_EDIT_NOTIFICATION), options.onNextEdit);
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  async sendSettings(settings: WrittenSettings): Promise<void> {
    await this.sendNotification('workspace/didChangeConfiguration', { settings });
  }

  /**
   * Shuts the server down if it runs, and ends its process in any case. Resolves when the process has ended, or when
   * even a killed one does not end within `KILL_TIMEOUT_MS`. Never rejects.
   */
  async end(): Promise<void> {
    const { log } = this.#options;
    if (this.state === State.Running) {
      try {
        await this.dispose(SHUTDOWN_TIMEOUT_MS);
        await this.#exit(EXIT_TIMEOUT_MS);
      } catch (error) {
        log.warn(`The server did not end by itself: ${describeError(error)}`);
      }
    }
    this.kill();
    try {
      await this.#exit(KILL_TIMEOUT_MS);
    } catch (error) {
      log.error(`The server process ${this.pid} was killed and did not end: ${describeError(error)}`);
    }
  }

  /** Rejects if the process still runs at the end of the time. */
  async #exit(timeoutMs: number): Promise<void> {
    if (this.#child === null || !isRunning(this.#child)) return;
    await once(this.#child, 'exit', { signal: AbortSignal.timeout(timeoutMs) });
  }

  /** A debugger may hold the server for as long as its user thinks. */
  get isDebugged(): boolean {
    return this.#child?.spawnargs.some((argument) => argument.startsWith('--inspect')) === true;
  }

  /** Ends a process that no longer answers: in order if it still can. The connection closes in any case. */
  terminate(): void {
    const child = this.#child;
    if (child === null || !isRunning(child)) return;
    child.kill('SIGTERM');
    setTimeout(() => {
      if (isRunning(child)) child.kill('SIGKILL');
    }, EXIT_TIMEOUT_MS);
  }

  /** A sudden end damages no data of the server. */
  kill(): void {
    if (this.#child !== null && isRunning(this.#child)) this.#child.kill('SIGKILL');
  }

  /**
   * If the process ends during its start, the base class drops the promise that rejects, and resolves. A second call
   * joins that promise, so that this method sees the failure.
   */
  override async start(): Promise<void> {
    const started = super.start();
    await (this.state === State.Starting ? Promise.all([started, super.start()]) : started);
  }

  /** The base class rejects in every state but `Running`, and calls this itself when `initialize` fails. */
  override async stop(timeout?: number): Promise<void> {
    if (this.state === State.Running) await super.stop(timeout);
  }

  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }

  protected override async createMessageTransports(encoding: string): Promise<MessageTransports> {
    const transports = await super.createMessageTransports(encoding);
    this.#child = this.serverProcess ?? null;
    this.#options.log.info(`Server process ${this.#child?.pid} started.`);
    return transports;
  }
}

function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

function serverOptions({ serverModule: module, stateDirectory, variables }: InklingClientOptions): {
  run: NodeModule;
  debug: NodeModule;
} {
  // Windows cannot delete a folder that is a process's working directory, so this is not the workspace folder.
  const cwd = path.dirname(module);
  // With glibc, each thread that allocates gets an arena of its own otherwise, and keeps some megabytes of it.
  const env = { MALLOC_ARENA_MAX: '2', ...process.env, ...variables, INKLING_STATE_DIR: stateDirectory };
  return {
    run: { module, transport: TransportKind.ipc, options: { cwd, env } },
    debug: {
      module,
      transport: TransportKind.ipc,
      options: { cwd, env, execArgv: ['--nolazy', `--inspect=${DEBUG_PORT}`] },
    },
  };
}

function clientOptions(options: InklingClientOptions): LanguageClientOptions {
  return {
    documentSelector: DOCUMENT_SCHEMES.map((scheme) => ({ scheme })),
    outputChannel: options.log,
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    initializationOptions: () => ({
      ...options.writtenSettings(),
      translations: currentTranslations(),
      crashedModel: options.crashedModel,
      ownClient: true,
      showsNextEdits: true,
    }),
    middleware: options.middleware,
  };
}
