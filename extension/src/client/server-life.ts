import { type CancellationToken, Disposable, type LogOutputChannel } from 'vscode';
import type { Middleware } from 'vscode-languageclient/node';
import {
  type ChatPieces,
  HEARTBEAT_REQUEST,
  type InklingSettings,
  type InklingStatus,
  type MemorySample,
  type NextEditAnnouncement,
} from '../../../server/protocol/index.js';
import { reportDefinitions } from '../definitions/definitions.js';
import { reportCursor } from '../editor/editing-events.js';
import { reportClipboard, reportDiagnostics, reportWorkspace } from '../editor/workspace-context.js';
import type { WrittenSettings } from '../manifest/settings.js';
import { describeError } from '../texts/log.js';
import { startHeartbeat } from './heartbeat.js';
import type { InklingClient } from './language-client.js';

/** The server answers `initialize` before it loads the model, so even a slow disk needs a fraction of this. */
const START_TIMEOUT_MS = 30_000;

/** What every server process of this window starts with. */
export interface ServerEnvironment {
  readonly serverModule: string;
  readonly stateDirectory: string;
  readonly log: LogOutputChannel;
  readonly middleware: Middleware;
  readonly readSettings: () => InklingSettings;
  /** What the server goes by: the user's values, fewer while suggestions are snoozed. */
  readonly writtenSettings: () => WrittenSettings;
  readonly onDidChangeSettings: (listener: () => void) => Disposable;
  /** Variables added to this process's environment, with secrets that no message may contain. */
  readonly variables: () => Promise<Readonly<Record<string, string>>>;
}

/** What one server process starts with besides. */
export interface ServerStart {
  /** The end of the server before it: the new one starts once the old one's memory is free. */
  readonly after: Promise<void>;
  /** A model with which earlier servers crashed too often; null for none. */
  readonly crashedModel: string | null;
}

export interface ServerListener {
  onStatus(status: InklingStatus): void;
  onMemorySample(sample: MemorySample): void;
  onChatPieces(pieces: ChatPieces): void;
  /** The server's end withdraws what it announced. */
  onNextEdit(announcement: NextEditAnnouncement): void;
  /**
   * The server could not start or ended by itself. Its process may still free its memory; `end` waits for that. Called
   * at most once, never after `end`.
   */
  onCrash(): void;
}

/** Like `ServerLife.request`: null if no server answers. */
export type ServerRequest = <T>(method: string, parameters?: object, token?: CancellationToken) => Promise<T | null>;

/** One server process and its client, from start to exit, with everything that must end with them. */
export class ServerLife {
  #client: InklingClient | null = null;
  #over = false;
  readonly #disposables: Disposable[] = [];
  readonly #started: Promise<void>;

  readonly #environment: ServerEnvironment;
  readonly #listener: ServerListener;

  constructor(environment: ServerEnvironment, listener: ServerListener, start: ServerStart) {
    this.#environment = environment;
    this.#listener = listener;
    this.#started = this.#start(start);
  }

  get pid(): number | null {
    return this.#client?.pid ?? null;
  }

  /** Sends a notification; drops it silently while the server is not running. */
  notify(method: string, parameters: unknown): void {
    if (this.#client?.isRunning() !== true) return;
    this.#client.sendNotification(method, parameters).catch((error: unknown) => {
      this.#environment.log.debug(`${method} was not sent: ${describeError(error)}`);
    });
  }

  /** Waits for a server that is starting. Null if it does not start or does not answer. */
  async request<T>(method: string, parameters?: object, token?: CancellationToken): Promise<T | null> {
    await this.#started;
    if (this.#client?.isRunning() !== true) return null;
    try {
      // An additional argument, even undefined, would become a parameter of the request.
      if (parameters === undefined) return await this.#client.sendRequest<T>(method);
      return await (token === undefined
        ? this.#client.sendRequest<T>(method, parameters)
        : this.#client.sendRequest<T>(method, parameters, token));
    } catch (error) {
      this.#environment.log.warn(`${method} was not answered: ${describeError(error)}`);
      return null;
    }
  }

  /** Resolves when the process has ended. */
  async end(): Promise<void> {
    this.#close();
    // A server that is still starting cannot shut down. It may load a model already, and must take its marker away, or the
    // model would count as one that ended a server.
    if (this.#client?.isRunning() === false) this.#client.terminate();
    await this.#started;
    await this.#client?.end();
  }

  /** Never rejects: a failed start is a crash. */
  async #start({ after, crashedModel }: ServerStart): Promise<void> {
    let timer: NodeJS.Timeout | null = null;
    try {
      const { InklingClient } = await import('./language-client.js');
      await after;
      const variables = await this.#environment.variables();
      if (this.#over) return;
      const client = new InklingClient({
        ...this.#environment,
        variables,
        crashedModel,
        onStatus: (status) => {
          if (!this.#over) this.#listener.onStatus(status);
        },
        onMemorySample: (sample) => this.#listener.onMemorySample(sample),
        onChatPieces: (pieces) => this.#listener.onChatPieces(pieces),
        onNextEdit: (announcement) => {
          if (!this.#over) this.#listener.onNextEdit(announcement);
        },
        onClosed: () => this.#crash(),
      });
      this.#client = client;
      timer = setTimeout(() => client.kill(), START_TIMEOUT_MS);
      // Before the start: a change while the server starts would be lost. The client sends it once the server answers.
      this.#forwardSettings(client);
      await client.start();
      this.#reportContext();
      this.#watch(client);
    } catch (error) {
      if (this.#over) return;
      this.#environment.log.error(`The server did not start: ${describeError(error)}`);
      this.#client?.kill();
      this.#crash();
    } finally {
      if (timer !== null) clearTimeout(timer);
    }
  }

  /** `initialize` contains the settings; this sends later changes. */
  #forwardSettings(client: InklingClient): void {
    if (this.#over) return;
    const { writtenSettings, onDidChangeSettings, log } = this.#environment;
    const subscription = onDidChangeSettings(() => {
      client.sendSettings(writtenSettings()).catch((error: unknown) => {
        log.warn(`The server did not receive the changed settings: ${describeError(error)}`);
      });
    });
    this.#disposables.push(subscription);
  }

  /** Which other files the server may show the model. */
  #reportContext(): void {
    if (this.#over) return;
    const notify = (method: string, parameters: unknown) => this.notify(method, parameters);
    const isClipboardAllowed = () => this.#environment.readSettings().contextClipboard;
    const areDefinitionsWanted = () => {
      const { enabled, contextEnabled } = this.#environment.readSettings();
      return enabled && contextEnabled;
    };
    this.#disposables.push(
      reportWorkspace(notify),
      reportDiagnostics(notify),
      reportClipboard(notify, isClipboardAllowed),
      reportDefinitions(notify, areDefinitionsWanted),
    );
    reportCursor(notify);
  }

  /** A server whose loop no longer turns is ended. That is a crash, so the crash policy decides what follows. */
  #watch(client: InklingClient): void {
    if (this.#over || client.isDebugged) return;
    const onSilent = () => {
      this.#environment.log.error(`The server process ${client.pid} does not answer any more and is ended.`);
      client.terminate();
    };
    this.#disposables.push(startHeartbeat(() => client.sendRequest(HEARTBEAT_REQUEST), onSilent));
  }

  #crash(): void {
    if (this.#over) return;
    this.#close();
    this.#listener.onCrash();
  }

  #close(): void {
    this.#over = true;
    this.#listener.onNextEdit({ edit: null });
    Disposable.from(...this.#disposables.splice(0)).dispose();
  }
}
