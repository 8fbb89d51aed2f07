import type { CancellationToken, Disposable, LogOutputChannel } from 'vscode';
import type { InklingStatus } from '../../../server/protocol/index.js';
import { type Crash, decideAfterCrash, recentCrashes, suspectModels } from './crash-policy.js';
import type { ServerLife, ServerListener, ServerStart } from './server-life.js';
import { crashedStatus, NOT_STARTED_STATUS, STARTING_STATUS } from './session-status.js';

/** The part of a server's life that a session steers. */
export type SessionServer = Pick<ServerLife, 'pid' | 'notify' | 'request' | 'end'>;

export interface SessionOptions {
  readonly launch: (listener: ServerListener, start: ServerStart) => SessionServer;
  /** Paths of the models that the user chose. The starter model is none of them, and is never left out. */
  readonly ownModels: () => readonly string[];
  readonly log: Pick<LogOutputChannel, 'info' | 'warn' | 'error'>;
  readonly listener: Omit<ServerListener, 'onCrash'>;
}

type Phase =
  | { readonly kind: 'stopped' }
  | { readonly kind: 'alive'; readonly server: SessionServer }
  /** After a crash, until the next restart. */
  | { readonly kind: 'backingOff'; readonly timer: NodeJS.Timeout }
  | { readonly kind: 'disposed' };

/** Keeps one server process running while it is wanted, and always knows the current status. */
export class Session implements Disposable {
  #phase: Phase = { kind: 'stopped' };
  #current: InklingStatus = NOT_STARTED_STATUS;
  #crashes: readonly Crash[] = [];
  /** The end of the last server. The next one waits for it. */
  #ending: Promise<void> = Promise.resolve();
  /** Requests that wait for the next server, since one is about to start. */
  readonly #waiting = new Set<() => void>();
  /** While the user's command ends a server to start the next one. */
  #restarting = false;

  readonly #options: SessionOptions;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  get status(): InklingStatus {
    return this.#current;
  }

  get serverPid(): number | null {
    return this.#phase.kind === 'alive' ? this.#phase.server.pid : null;
  }

  /** Sends a notification; has no effect without a running server. */
  notify(method: string, parameters: unknown): void {
    if (this.#phase.kind === 'alive') this.#phase.server.notify(method, parameters);
  }

  /** Waits for a server that is about to start. Null if none runs, or if it does not answer. */
  async request<T>(method: string, parameters?: object, token?: CancellationToken): Promise<T | null> {
    const { kind } = this.#phase;
    if (kind === 'backingOff' || (kind === 'stopped' && this.#restarting)) await this.#nextServer(token);
    if (token?.isCancellationRequested === true) return null;
    return this.#phase.kind === 'alive' ? this.#phase.server.request<T>(method, parameters, token) : null;
  }

  /** Does nothing if a server runs or is about to. */
  start(): void {
    if (this.#phase.kind === 'stopped') this.#launch();
  }

  /** By the user's command: forgets earlier crashes. */
  async restart(): Promise<void> {
    this.#options.log.info('Restarting the server.');
    this.#crashes = [];
    this.#restarting = true;
    const stopped = this.stop();
    // The old server's last status is out of date, and its end may take seconds.
    if (this.#phase.kind === 'stopped') this.#publish(STARTING_STATUS);
    try {
      await stopped;
    } finally {
      this.#restarting = false;
      this.start();
      this.#goOn();
    }
  }

  /** What a server gets at its start has changed. One that nobody has started stays away. */
  async renew(): Promise<void> {
    if (this.#phase.kind === 'alive' || this.#phase.kind === 'backingOff') await this.restart();
  }

  async stop(): Promise<void> {
    const phase = this.#phase;
    if (phase.kind === 'backingOff') clearTimeout(phase.timer);
    if (phase.kind === 'alive') this.#ending = phase.server.end();
    if (phase.kind !== 'disposed') this.#phase = { kind: 'stopped' };
    if (!this.#restarting) this.#goOn();
    await this.#ending;
  }

  async dispose(): Promise<void> {
    const stopped = this.stop();
    this.#phase = { kind: 'disposed' };
    await stopped;
  }

  #launch(crashedModel: string | null = null): void {
    this.#publish(STARTING_STATUS);
    const { launch, listener } = this.#options;
    const server = launch(
      { ...listener, onStatus: (status) => this.#publish(status), onCrash: () => this.#answerCrash() },
      { after: this.#ending, crashedModel },
    );
    this.#phase = { kind: 'alive', server };
    this.#goOn();
  }

  /** Resolves once a server starts, none will, or the request is cancelled. */
  #nextServer(token: CancellationToken | undefined): Promise<void> {
    return new Promise((resolve) => {
      const goOn = () => {
        cancelled?.dispose();
        this.#waiting.delete(goOn);
        resolve();
      };
      const cancelled = token?.onCancellationRequested(goOn);
      this.#waiting.add(goOn);
    });
  }

  #goOn(): void {
    for (const goOn of [...this.#waiting]) goOn();
  }

  #answerCrash(): void {
    const { log, ownModels } = this.#options;
    // Its connection is closed; its memory may not be free yet.
    if (this.#phase.kind === 'alive') this.#ending = this.#phase.server.end();
    const own = ownModels();
    const models = suspectModels(this.#current).filter((path) => own.includes(path));
    // Setting the clock must not make old crashes count, nor new ones not.
    const now = performance.now();
    this.#crashes = [...recentCrashes(this.#crashes, now), { at: now, models }];
    const decision = decideAfterCrash(this.#crashes, now);
    switch (decision.kind) {
      case 'restart': {
        const { delayMs, withoutModel } = decision;
        log.warn(`The server ended unexpectedly; starting it again in ${delayMs} ms.`);
        if (withoutModel !== null) {
          log.error(`The server crashed too often with ${withoutModel}; it is not loaded again.`);
          // What follows happens without that model, so the count starts again.
          this.#crashes = [];
        }
        this.#publish(STARTING_STATUS);
        this.#phase = { kind: 'backingOff', timer: setTimeout(() => this.#launch(withoutModel), delayMs) };
        break;
      }
      case 'giveUp':
        log.error(`The server ended unexpectedly ${decision.crashes} times; not starting it again.`);
        this.#phase = { kind: 'stopped' };
        // A user who starts it again has changed something, or wants to try.
        this.#crashes = [];
        this.#publish(crashedStatus(decision.crashes, own.length > 0));
        break;
    }
  }

  #publish(status: InklingStatus): void {
    this.#current = status;
    this.#options.listener.onStatus(status);
  }
}
