import type { LockFile } from '../../util/files/lock-file.js';
import type { Log } from '../../util/log.js';
import type { Engine, LoadOptions, LoadRequest } from '../port/engine.js';
import { EngineError } from '../port/engine-error.js';
import type { MemoryReport } from '../port/memory-report.js';
import { type LoadPlan, optionsOf, type PlanLoad } from '../port/plan-load.js';
import { GuestEngine } from './guest-engine.js';
import { ModelOffer } from './model-offer.js';
import { type Build, sharedName } from './names.js';
import { OfferFolder } from './offer-folder.js';
import { ownerLost } from './wire/wire-error.js';

export interface SharedModelsOptions {
  readonly environment: NodeJS.ProcessEnv;
  /** Inkling's version. */
  readonly version: string;
  /** Where a load would be planned now; it changes once devices are known. */
  readonly placeOf: (loadRequest: LoadRequest) => string;
  /** An engine of this process alone. @throws EngineError */
  readonly createEngine: (options: LoadOptions) => Engine;
  /** A guest's request lost the GPU: this process must end. */
  readonly onDeviceLost: () => void;
  readonly log: Log;
}

/** The process that has a model which windows share. */
export type Found =
  | { readonly kind: 'owner'; readonly guest: GuestEngine }
  /** Nobody; the lock says that this process may load it. */
  | { readonly kind: 'free'; readonly lock: LockFile }
  /** A process has the lock and does not listen yet, or no longer. */
  | { readonly kind: 'unreachable' }
  /** Nobody who can be trusted or would answer. */
  | { readonly kind: 'refused' };

/** The models that this process offers to others, and the way to those of others. */
export class SharedModels {
  readonly #options: SharedModelsOptions;
  readonly #build: Omit<Build, 'place'>;
  readonly #offers = new Map<string, ModelOffer>();
  /** How a model is planned here, should this process have to load it. */
  readonly #plans = new Map<string, () => Promise<LoadPlan>>();

  constructor(options: SharedModelsOptions) {
    this.#options = options;
    const { version, environment } = options;
    this.#build = { version, flavour: environment.INKLING_CPU_FLAVOUR ?? '' };
  }

  get log(): Log {
    return this.#options.log;
  }

  createEngine(options: LoadOptions): Engine {
    return this.#options.createEngine(options);
  }

  /** A model that another window holds takes no memory here, so it is not planned. */
  around(plan: PlanLoad): PlanLoad {
    return async (requested) => {
      const name = await sharedName(requested, { ...this.#build, place: this.#options.placeOf(requested) });
      const folder = name === null ? null : this.#folder();
      if (name === null || folder === null) return plan(requested);
      this.#plans.set(name, () => plan(requested));
      const own = this.#offers.get(name);
      if (own?.hasGuests) return asOwner(own.options);
      const isElsewhere = () => own === undefined && folder.isOwned(name);
      if (isElsewhere()) return asGuest(requested, name);
      const planned = await this.#withRoom(plan, requested);
      if (planned.kind === 'fits') {
        const options = offered(planned, name);
        return { ...planned, options: own?.begunWith(options) ?? options };
      }
      // Perhaps there is no room because another window has begun to load it.
      return isElsewhere() ? asGuest(requested, name) : planned;
    };
  }

  /** What this process can load. @throws EngineError where there is no plan */
  async planned(options: LoadOptions): Promise<LoadOptions> {
    const { offer } = options;
    if (offer === undefined || offer.isPlanned) return options;
    const plan = await this.#plans.get(offer.name)?.();
    if (plan === undefined) throw ownerLost();
    if (plan.kind === 'refused') throw new EngineError(plan.error.code, plan.error.message);
    return offered(plan, offer.name);
  }

  /** A model that this process holds for others; null for none. */
  async kept(name: string): Promise<ModelOffer | null> {
    const offer = this.#offers.get(name);
    if (offer === undefined || offer.closed === null) return offer ?? null;
    await offer.closed;
    return null;
  }

  async find(name: string): Promise<Found> {
    const folder = this.#folder();
    if (folder === null) return { kind: 'refused' };
    try {
      const door = folder.find(name);
      const guest = door === null ? 'nobody' : await GuestEngine.join(door, this.#options.version, this.log);
      if (guest === 'refused') return { kind: 'refused' };
      if (guest !== 'nobody') return { kind: 'owner', guest };
      const lock = folder.takeLock(name);
      return lock === null ? { kind: 'unreachable' } : { kind: 'free', lock };
    } catch (error) {
      this.#warn(error);
      return { kind: 'refused' };
    }
  }

  /**
   * Offers a model that this process is about to load; null where nobody can be let in.
   *
   * @throws EngineError where no engine can be made
   */
  async open(options: LoadOptions, lock: LockFile): Promise<ModelOffer | null> {
    const { version, onDeviceLost, log } = this.#options;
    const name = options.offer?.name ?? '';
    let engine: Engine | null = null;
    try {
      engine = this.createEngine(options);
      const folder = OfferFolder.open(this.#options.environment);
      const plan = (asked: LoadOptions) => this.planned(asked);
      const offer = await ModelOffer.open({ name, engine, options, plan, folder, lock, version, onDeviceLost, log });
      this.#offers.set(name, offer);
      offer.whenClosed(() => this.#offers.delete(name));
      return offer;
    } catch (error) {
      lock.release();
      if (engine === null) throw error;
      this.#warn(error);
      await engine.close();
      return null;
    }
  }

  /** What the models take that are kept for others alone. */
  keptMemory(): readonly MemoryReport[] {
    const kept = [...this.#offers.values()].filter(({ isUsedHere }) => !isUsedHere);
    return kept.flatMap((offer) => offer.memory() ?? []);
  }

  /** Gives up what is kept for others alone: this window needs the memory. @returns whether there was any */
  async giveUpKept(): Promise<boolean> {
    const kept = [...this.#offers.values()].filter(({ isUsedHere }) => !isUsedHere);
    await Promise.all(kept.map((offer) => offer.close()));
    return kept.length > 0;
  }

  /** At the end of the process: the others load what they need. */
  async close(): Promise<void> {
    await Promise.all([...this.#offers.values()].map((offer) => offer.close()));
  }

  async #withRoom(plan: PlanLoad, requested: LoadRequest): Promise<LoadPlan> {
    const planned = await plan(requested);
    const isShort = planned.kind === 'refused' && planned.error.code === 'outOfMemory';
    return isShort && (await this.giveUpKept()) ? plan(requested) : planned;
  }

  /** Null where no folder is private. */
  #folder(): OfferFolder | null {
    try {
      return OfferFolder.open(this.#options.environment);
    } catch (error) {
      this.#warn(error);
      return null;
    }
  }

  #warn(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    this.log.warn(`The model is not shared with other windows: ${reason}`);
  }
}

/** The plan of a model that another window has loaded. */
function asOwner(options: LoadOptions): LoadPlan {
  const drawback = options.offer?.drawback;
  return { kind: 'fits', options, ...(drawback === undefined ? {} : { drawback }) };
}

function offered({ options, drawback }: Extract<LoadPlan, { kind: 'fits' }>, name: string): LoadOptions {
  return { ...options, offer: { name, isPlanned: true, ...(drawback === undefined ? {} : { drawback }) } };
}

function asGuest(requested: LoadRequest, name: string): LoadPlan {
  return { kind: 'fits', options: { ...optionsOf(requested), offer: { name, isPlanned: false } } };
}
