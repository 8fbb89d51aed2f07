import type { EngineState, UnloadReason } from '../../../protocol/index.js';
import type { Log } from '../../util/log.js';
import { unlessAborted, untilLast } from '../../util/unless-aborted.js';
import type { Engine, LoadRequest } from '../port/engine.js';
import { toEngineError } from '../port/engine-error.js';
import type { ModelFacts } from '../port/model-facts.js';
import type { EngineLoader } from './engine-loader.js';
import { comesBackByItself, describeState, remoteFailure, sameModel, sameOptions } from './host-state.js';
import type { HostedEngine } from './hosted-engine.js';

/**
 * Decides which model a host has, and when: wanted, loading, ready, unloaded, failed, closed. Loads and closes run one
 * after the other, in the order in which they were asked for. An unloaded model comes back when it is needed (`wake`);
 * a request that cannot go on without it waits (`wakeAndWait`).
 */
export class EngineLifecycle {
  readonly #hosted: HostedEngine;
  readonly #loader: EngineLoader;
  readonly #log: Log;
  #wanted: LoadRequest | null = null;
  /** Ends everything that loads a model, whoever asked for it. */
  #loadAbort = new AbortController();
  /** Requests for another model that are not over: each leaves a model, or says why there is none. */
  #replacing = 0;
  /** The return of an unloaded model, while it is under way. */
  #return: Promise<void> | null = null;
  #transitions: Promise<void> = Promise.resolve();

  constructor(hosted: HostedEngine, loader: EngineLoader, log: Log) {
    this.#hosted = hosted;
    this.#loader = loader;
    this.#log = log;
    this.onDidChange = hosted.onDidChange;
    hosted.onDidEnd((engine) => this.#comeBack(engine));
  }

  readonly onDidChange: HostedEngine['onDidChange'];

  get state(): EngineState {
    return describeState(this.#hosted.state);
  }

  /** Facts of the model that is loaded, or was loaded and comes back. */
  get knownFacts(): ModelFacts | null {
    const { state } = this.#hosted;
    return state.kind === 'loaded' || state.kind === 'unloaded' ? state.facts : null;
  }

  /** The last request, whatever became of it: for a model of this machine, or for a remote server. */
  get wanted(): LoadRequest | null {
    return this.#wanted;
  }

  /** Whether a remote server is wanted and cannot be used now, for a reason that may pass by itself. */
  get isLost(): boolean {
    return remoteFailure(this.#hosted.state, this.#wanted) === 'passing';
  }

  /**
   * Asks for a model. The same one again is a no-op; another one cancels a load that is under way. An unloaded model stays
   * so where only its options change: they count when it comes back.
   */
  want(loadRequest: LoadRequest): void {
    const { state } = this.#hosted;
    const wanted = this.#wanted;
    if (state.kind === 'closed' || (wanted !== null && sameOptions(wanted, loadRequest))) return;
    // After a refusal, what was unloaded is another model than the wanted one.
    const stays = wanted !== null && sameModel(wanted, loadRequest) && this.#replacing === 0;
    if (!stays || state.kind !== 'unloaded' || !sameModel(state.loadRequest, loadRequest)) {
      this.#replaceWith(loadRequest);
      return;
    }
    this.#wanted = loadRequest;
    this.#hosted.become({ ...state, loadRequest });
  }

  /** No model is wanted any more: closes the loaded one and forgets it. */
  forget(): void {
    if (this.#hosted.state.kind === 'closed') return;
    this.#wanted = null;
    this.#loadAbort.abort();
    void this.#enqueue(async () => {
      await this.#loader.remove();
      this.#hosted.become({ kind: 'idle' });
    });
  }

  /**
   * The model will be needed: loads it again if it was unloaded.
   * @param asked whether the user asked for something, which brings it back whatever the reason was
   */
  wake(asked: boolean): void {
    const { state } = this.#hosted;
    this.#hosted.noteUse();
    const isFailed = remoteFailure(state, this.#wanted) !== null;
    if (asked && this.#return === null && isFailed) this.#returnWith(this.reconnect());
    if (state.kind !== 'unloaded' || !(asked || comesBackByItself(state.reason)) || this.#wanted === null) return;
    if (this.#replacing > 0) {
      // If the other model cannot be loaded, its transition brings this one back and says why.
      if (this.#return === null) this.#returnWith(this.#transitions);
      return;
    }
    const { loadRequest, facts } = state;
    const { signal } = this.#loadAbort;
    this.#log.info(`Loading ${facts.name} again`);
    this.#hosted.become({ kind: 'loading', progress: 0 });
    this.#returnWith(
      this.#enqueue(async () => {
        // A model that was wanted before may have been loaded meanwhile. Two would then be in memory.
        const isReplaced = this.#hosted.loaded !== null;
        if (!signal.aborted && !isReplaced) await this.#bringBack(loadRequest, facts, signal);
      }),
    );
  }

  /** Wakes the model and waits until it is back, or will not come. Never rejects, and returns at once when aborted. */
  async wakeAndWait(asked: boolean, signal: AbortSignal): Promise<void> {
    this.wake(asked);
    if (this.#return !== null) await unlessAborted(this.#return, signal);
  }

  /** Waits for all loads and closes, also for later ones. Never rejects, and returns at once when aborted. */
  async settled(signal: AbortSignal): Promise<void> {
    await untilLast(() => this.#transitions, signal);
  }

  /**
   * Gives the whole model back, until it is needed again; a no-op while none is loaded. Running work keeps the model,
   * unless the user wants it gone: then that work ends.
   */
  unload(reason: UnloadReason): Promise<void> {
    const hosted = this.#hosted;
    return this.#enqueue(async () => {
      if (hosted.state.kind === 'unloaded') hosted.become({ ...hosted.state, reason });
      if (hosted.loaded === null || (hosted.isInUse && reason !== 'user')) return;
      const { engine, facts, loadRequest } = hosted.loaded;
      this.#log.info(`Unloading ${facts.name} (${reason})`);
      hosted.become({ kind: 'unloaded', reason, facts, loadRequest });
      await this.#loader.close(engine);
      hosted.announce();
    });
  }

  /** There is memory again: a model that was unloaded for lack of it may come back by itself. */
  pressureIsOver(): void {
    const { state } = this.#hosted;
    if (state.kind !== 'unloaded' || state.reason !== 'memoryPressure') return;
    this.#hosted.become({ ...state, reason: 'idle' });
  }

  /** By the user's command: loads what is unloaded, and tries once more what could not be loaded, for any reason. */
  load(): void {
    const isLocal = this.#wanted !== null && this.#wanted.remote === undefined;
    if (isLocal && this.state.kind === 'error') this.planAgain();
    else this.wake(true);
  }

  /** Plans the wanted model once more, since what it was refused for is no longer so. */
  planAgain(): void {
    const wanted = this.#wanted;
    if (wanted !== null && this.#hosted.state.kind !== 'closed') this.#replaceWith(wanted);
  }

  /** Tries once more to reach a lost remote server. The state changes when the attempt is over. */
  reconnect(): Promise<void> {
    return this.#enqueue(async () => {
      if (this.#wanted === null || remoteFailure(this.#hosted.state, this.#wanted) === null) return;
      await this.#loader.loadAgain(this.#wanted, this.#loadAbort.signal);
    });
  }

  /** Stops what runs and frees everything. Resolves when it is done; afterwards the host stays closed. */
  close(): Promise<void> {
    this.#wanted = null;
    this.#loadAbort.abort();
    return this.#enqueue(async () => {
      await this.#loader.remove();
      this.#hosted.become({ kind: 'closed' });
    });
  }

  /** The engine of the loaded model is gone: loads the model again. */
  #comeBack(engine: Engine): void {
    const { loaded } = this.#hosted;
    if (loaded === null) return;
    const { facts, loadRequest } = loaded;
    this.#hosted.become({ kind: 'unloaded', reason: 'idle', facts, loadRequest });
    void this.#enqueue(() => this.#loader.close(engine));
    this.wake(false);
  }

  /** If memory is short by now, the model stays unloaded until there is some. */
  async #bringBack(loadRequest: LoadRequest, facts: ModelFacts, signal: AbortSignal): Promise<void> {
    const failure = await this.#loader.loadAsPlanned(loadRequest, null, signal);
    if (failure?.code !== 'outOfMemory' || signal.aborted) return;
    this.#hosted.become({ kind: 'unloaded', reason: 'memoryPressure', facts, loadRequest });
  }

  #returnWith(loaded: Promise<void>): void {
    this.#return = loaded.finally(() => {
      this.#return = null;
    });
  }

  /** Cancels all loads that are under way or waiting. */
  #replaceWith(loadRequest: LoadRequest): void {
    this.#wanted = loadRequest;
    this.#loadAbort.abort();
    this.#loadAbort = new AbortController();
    const { signal } = this.#loadAbort;
    this.#replacing += 1;
    void this.#enqueue(() => this.#loader.replace(loadRequest, signal)).finally(() => {
      this.#replacing -= 1;
    });
  }

  /** A transition that fails must not stop the later ones: its failure becomes the state. */
  #enqueue(transition: () => Promise<void>): Promise<void> {
    this.#transitions = this.#transitions.then(transition).catch((thrown: unknown) => {
      const stack = thrown instanceof Error ? thrown.stack : String(thrown);
      this.#log.error(`The engine could not change its state: ${stack}`);
      this.#hosted.fail(toEngineError(thrown).info);
    });
    return this.#transitions;
  }
}
