import type { EngineHost } from '../../engine/lifecycle/engine-host.js';
import type { PromptRoom } from './prompt-room.js';

const LOOKS_EVERY_MS = 30_000;
/** Nobody types, and no conversation runs. */
const REST_MS = 120_000;

export interface ContextGrowthOptions {
  readonly host: Pick<EngineHost, 'client'>;
  readonly room: Pick<PromptRoom, 'grow'>;
  /** Loads the model with the room that prompts have now. */
  readonly loadAgain: () => void;
}

/**
 * A model that proves to be faster than expected has a context that is too short for the prompts it could evaluate. It is
 * loaded again with a longer one while nobody needs it.
 */
export class ContextGrowth {
  readonly #options: ContextGrowthOptions;
  readonly #timer: NodeJS.Timeout;

  constructor(options: ContextGrowthOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.look(), LOOKS_EVERY_MS);
    this.#timer.unref();
  }

  look(): void {
    const { host, room, loadAgain } = this.#options;
    const { facts, idleMs } = host.client;
    if (facts?.kind !== 'local' || idleMs < REST_MS) return;
    if (room.grow(facts.path)) loadAgain();
  }

  dispose(): void {
    clearInterval(this.#timer);
  }
}
