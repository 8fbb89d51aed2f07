import type { CancellationToken, Disposable } from 'vscode';
import type { InklingStatus } from '../../server/protocol/index.js';
import { decideAfterCrash, recentCrashes } from './crash-policy.js';
import { type ServerEnvironment, ServerLife, type ServerListener } from './server-life.js';
import { crashedStatus, NOT_STARTED_STATUS, STARTING_STATUS } from './session-status.js';

type Phase =
  | { readonly kind: 'stopped' }
  | { readonly kind: 'alive'; readonly server: ServerLife }
  /** After a crash, until the next restart. */
  | { readonly kind: 'backingOff'; readonly timer: NodeJS.Timeout }
  | { readonly kind: 'disposed' };

/** Keeps one server process running while it is wanted, and always knows the current status. */
export class Session implements Disposable {
  #phase: Phase = { kind: 'stopped' };
  #current: InklingStatus = NOT_STARTED_STATUS;
  #crashTimes: readonly number[] = [];
  /** The end of the last server: the next one starts once its memory is free. */
  #ending: Promise<void> = Promise.resolve();

  readonly #environment: ServerEnvironment;
  readonly #listener: Omit<ServerListener, 'onCrash'>;

  constructor(environment: ServerEnvironment, listener: Omit<ServerListener, 'onCrash'>) {
    this.#environment = environment;
    this.#listener = listener;
  }

  get status(): InklingStatus {
    return this.#current;
  }

  get serverPid(): number | undefined {
    return this.#phase.kind === 'alive' ? this.#phase.server.pid : undefined;
  }

  /** Sends a notification; has no effect without a running server. */
  notify(method: string, parameters: unknown): void {
    if (this.#phase.kind === 'alive') this.#phase.server.notify(method, parameters);
  }

  /** Undefined if no server runs, or if it does not answer. */
  async request<T>(method: string, parameters?: object, token?: CancellationToken): Promise<T | undefined> {
    return this.#phase.kind === 'alive' ? this.#phase.server.request<T>(method, parameters, token) : undefined;
  }

  /** Does nothing if a server runs or is about to. */
  start(): void {
    if (this.#phase.kind === 'stopped') this.#launch();
  }

  /** By the user's command: forgets earlier crashes. */
  async restart(): Promise<void> {
    this.#environment.log.info('Restarting the server.');
    this.#crashTimes = [];
    await this.stop();
    this.start();
  }

  async stop(): Promise<void> {
    const phase = this.#phase;
    if (phase.kind === 'backingOff') clearTimeout(phase.timer);
    if (phase.kind === 'alive') this.#ending = phase.server.end();
    if (phase.kind !== 'disposed') this.#phase = { kind: 'stopped' };
    await this.#ending;
  }

  async dispose(): Promise<void> {
    const stopped = this.stop();
    this.#phase = { kind: 'disposed' };
    await stopped;
  }

  #launch(): void {
    this.#publish(STARTING_STATUS);
    const server = new ServerLife(this.#environment, {
      ...this.#listener,
      onStatus: (status) => this.#publish(status),
      onCrash: () => this.#answerCrash(),
    });
    this.#phase = { kind: 'alive', server };
  }

  #answerCrash(): void {
    const now = Date.now();
    this.#crashTimes = [...recentCrashes(this.#crashTimes, now), now];
    const decision = decideAfterCrash(this.#crashTimes, now);
    switch (decision.kind) {
      case 'restart':
        this.#environment.log.warn(`The server ended unexpectedly; starting it again in ${decision.delayMs} ms.`);
        this.#publish(STARTING_STATUS);
        this.#phase = { kind: 'backingOff', timer: setTimeout(() => this.#launch(), decision.delayMs) };
        break;
      case 'giveUp':
        this.#environment.log.error(`The server ended unexpectedly ${decision.crashes} times; not starting it again.`);
        this.#phase = { kind: 'stopped' };
        this.#publish(crashedStatus(decision.crashes));
        break;
    }
  }

  #publish(status: InklingStatus): void {
    this.#current = status;
    this.#listener.onStatus(status);
  }
}
