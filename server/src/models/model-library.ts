import { stat } from 'node:fs/promises';
import type { EngineErrorInfo, ModelCheck, ModelList, ModelOffer, ModelSource } from '../../protocol/index.js';
import { EngineError, toEngineError } from '../engine/engine-error.js';
import { ifReadable } from '../util/if-readable.js';
import { architectureKind } from './architectures.js';
import { CATALOGUE } from './catalogue.js';
import { discoverModels } from './discovery/discover.js';
import { type GgufHeader, type ReadOptions, readGgufHeader } from './gguf-header.js';
import { type EstimateMemory, estimateFromHeader } from './memory-need.js';
import { offerForEntry, offerForFile } from './model-offer.js';
import { nearestAlternative, rankOffers, recommend } from './selection.js';
import type { Machine } from './this-machine.js';

export interface LibraryOptions {
  readonly starterModelPath: string;
  readonly machine: Machine;
  /** Such as `CPU` or `Metal`; null before anything was loaded. */
  readonly backend: () => string | null;
  /** Tokens, as the user set it; 0 lets the engine choose. */
  readonly contextLength: () => number;
  readonly estimateMemory: EstimateMemory;
}

interface CachedHeader {
  readonly header: GgufHeader;
  readonly modifiedMs: number;
  readonly bytes: number;
}

/** A file by what is known without opening it. */
interface NamedFile {
  readonly path: string;
  readonly source: ModelSource;
  /** Null where the file's own name has to do. */
  readonly name: string | null;
}

/** Every model that could be used on this machine, and whether a given one can. Reads headers only. */
export class ModelLibrary {
  readonly #options: LibraryOptions;
  /** By path: a list is asked for more often than files change. */
  readonly #headers = new Map<string, CachedHeader>();

  constructor(options: LibraryOptions) {
    this.#options = options;
  }

  /** @param storeDirectory of the client's downloads; null where it has none */
  async list(storeDirectory: string | null, signal: AbortSignal): Promise<ModelList> {
    const { memoryBytes, surroundings } = this.#options.machine;
    const starter = await this.#offer(this.#starter);
    const { models, unfinishedFolders } = await discoverModels(surroundings, storeDirectory, signal);
    const found: ModelOffer[] = [];
    for (const file of models) {
      if (signal.aborted) break;
      const offer = await this.#offerIfModel(file);
      if (offer !== null) found.push(offer);
    }
    const catalogue = CATALOGUE.map((entry) => offerForEntry(entry, memoryBytes));
    const offers = [starter, ...rankOffers(found), ...rankOffers(catalogue)];
    const recommendedId = (recommend(offers, this.#accelerated) ?? starter).id;
    return { memoryBytes, offers, recommendedId, unfinishedFolders };
  }

  /**
   * Whether a file can be used here; where it cannot, why, and what could be used instead.
   * @param path empty for the starter model
   */
  async check(
    path: string,
    storeDirectory: string | null,
    signal: AbortSignal,
    options: ReadOptions = {},
  ): Promise<ModelCheck> {
    const named = path === '' ? this.#starter : ({ path, source: 'file', name: null } as const);
    const judged = await this.#judge(named, options);
    if (judged.error === null) return { kind: 'usable', offer: judged.offer };
    const { offers, recommendedId } = await this.list(storeDirectory, signal);
    const needed = judged.offer?.memoryBytes ?? null;
    const others = offers.filter((other) => other.path !== judged.offer?.path);
    const nearest = nearestAlternative(others, needed, this.#accelerated);
    const alternative = nearest ?? offers.find(({ id }) => id === recommendedId) ?? (await this.#offer(this.#starter));
    return { kind: 'refused', error: judged.error, alternative };
  }

  /** Why a file cannot be used here; null where it can. Never rejects. The starter model is known to work. */
  async refusal(path: string): Promise<EngineErrorInfo | null> {
    if (path === this.#options.starterModelPath) return null;
    return (await this.#judge({ path, source: 'file', name: null }, {})).error;
  }

  /** Id of the token that ends a text, as the file names it; -1 where it names none or cannot be read. */
  async eosToken(path: string): Promise<number> {
    try {
      return (await this.#header(path, {})).eosToken;
    } catch {
      return -1;
    }
  }

  get #starter(): NamedFile {
    return { path: this.#options.starterModelPath, source: 'starter', name: null };
  }

  get #accelerated(): boolean {
    const backend = this.#options.backend();
    return backend === null ? this.#options.machine.unifiedMemory : backend !== 'CPU';
  }

  async #judge(
    file: NamedFile,
    options: ReadOptions,
  ): Promise<
    | { readonly offer: ModelOffer; readonly error: null }
    | { readonly offer: ModelOffer | null; readonly error: EngineErrorInfo }
  > {
    try {
      const offer = await this.#offer(file, options, this.#options.estimateMemory);
      return { offer, error: offer.refusal };
    } catch (thrown) {
      return { offer: null, error: toEngineError(thrown).info };
    }
  }

  /** Null for a file that is no model of its own, or none that can be read. */
  async #offerIfModel(file: NamedFile): Promise<ModelOffer | null> {
    try {
      const offer = await this.#offer(file);
      return architectureKind(offer.architecture ?? '') === 'otherKind' ? null : offer;
    } catch (thrown) {
      if (thrown instanceof EngineError) return null;
      throw thrown;
    }
  }

  async #offer(
    { path, source, name }: NamedFile,
    options: ReadOptions = {},
    estimate: EstimateMemory = async (header, contextLength) => estimateFromHeader(header, contextLength),
  ): Promise<ModelOffer> {
    const header = await this.#header(path, options);
    const memoryBytes = await estimate(header, this.#options.contextLength());
    return offerForFile({ source, name, header, memoryBytes }, this.#options.machine.memoryBytes);
  }

  async #header(path: string, options: ReadOptions): Promise<GgufHeader> {
    const status = await ifReadable(stat(path));
    // A file that still grows is read each time.
    if (options.partial || status === null) return readGgufHeader(path, options);
    const cached = this.#headers.get(path);
    if (cached?.bytes === status.size && cached.modifiedMs === status.mtimeMs) return cached.header;
    const header = await readGgufHeader(path);
    this.#headers.set(path, { header, modifiedMs: status.mtimeMs, bytes: status.size });
    return header;
  }
}
