import type { EngineErrorInfo } from '../../../protocol/index.js';
import { Emitter } from '../../util/emitter.js';
import type { Engine } from '../port/engine.js';
import type { HostState, LoadedState } from './host-state.js';

/** The engine of a host, as it is now. The host's parts change it here, and listeners get each change. */
export class HostedEngine {
  readonly #changed = new Emitter<void>();
  readonly #ended = new Emitter<Engine>();
  #state: HostState = { kind: 'idle' };
  #lastUsedAt = performance.now();
  /** Uses of the model that may have no generation under way at the moment. */
  #keeping = 0;

  readonly onDidChange = this.#changed.event;

  /** Fires when the loaded engine has ended by itself. */
  readonly onDidEnd = this.#ended.event;

  get state(): HostState {
    return this.#state;
  }

  /** Null while no model is loaded. */
  get loaded(): LoadedState | null {
    return this.#state.kind === 'loaded' ? this.#state : null;
  }

  /** Whether the model is in use: then only the user may unload it. */
  get isInUse(): boolean {
    return this.#keeping > 0 || (this.loaded?.running ?? 0) > 0;
  }

  /** The model is in use until `work` has ended. */
  async keep<T>(work: () => Promise<T>): Promise<T> {
    this.#keeping += 1;
    try {
      return await work();
    } finally {
      this.#keeping -= 1;
      this.noteUse();
    }
  }

  /** Milliseconds since the model was last used, here or by another window, or loaded; 0 while it is in use. */
  get idleMs(): number {
    const { loaded } = this;
    if (loaded !== null && this.isInUse) return 0;
    return Math.min(
      performance.now() - this.#lastUsedAt,
      loaded?.engine.idleElsewhereMs?.() ?? Number.POSITIVE_INFINITY,
    );
  }

  become(state: HostState): void {
    this.#state = state;
    this.announce();
  }

  /** Something unforeseen went wrong. A model that is loaded stays; nothing is waited for any more. Never throws. */
  fail(error: EngineErrorInfo): void {
    if (this.#state.kind === 'idle' || this.#state.kind === 'loading') this.#state = { kind: 'failed', error };
    try {
      this.announce();
    } catch {
      // A listener that throws is why it failed.
    }
  }

  /** Something else about the engine changed, such as the memory that it holds. */
  announce(): void {
    this.#changed.fire();
  }

  /** The process that ran this engine is gone. */
  ended(engine: Engine): void {
    if (this.loaded?.engine === engine) this.#ended.fire(engine);
  }

  noteUse(): void {
    this.#lastUsedAt = performance.now();
  }
}
