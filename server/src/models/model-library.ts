import { stat } from 'node:fs/promises';
import {
  type EngineErrorInfo,
  formatNumber,
  type ModelCheck,
  type ModelList,
  type ModelOffer,
  type ModelSource,
  t,
} from '../../protocol/index.js';
import type { LoadRequest } from '../engine/engine.js';
import { EngineError, toEngineError } from '../engine/engine-error.js';
import type { MeasuredSpeeds } from '../engine/measured-speeds.js';
import { BLANK_CARD, type ModelCard } from '../engine/model-facts.js';
import { type LoadPlan, optionsOf } from '../engine/plan-load.js';
import { ifReadable } from '../util/if-readable.js';
import { modelKind } from './architectures.js';
import { CATALOGUE } from './catalogue.js';
import { discoverModels } from './discovery/discover.js';
import { type GgufHeader, type ReadOptions, readGgufHeader } from './gguf-header.js';
import { LEAST_CONTEXT } from './load-plan.js';
import type { LoadPlanner } from './load-planner.js';
import { defaultContextLength, estimateFromHeader, type MemoryLimits } from './memory-need.js';
import { type MemoryNeed, offerForEntry, offerForFile, type PredictSpeed } from './model-offer.js';
import { nearestAlternative, rankOffers, recommend, smallestChatModel } from './selection.js';
import { SpeedPredictor } from './speed-predictor.js';
import type { Machine } from './this-machine.js';

export interface LibraryOptions {
  readonly starterModelPath: string;
  readonly machine: Machine;
  /** Such as `CPU` or `Metal`; null before the first load. */
  readonly backend: () => string | null;
  /** As the speed predictor's. */
  readonly isIntegrated: () => boolean;
  /** The load request from the settings, for any model. */
  readonly loadRequest: () => LoadRequest;
  readonly planner: LoadPlanner;
  readonly prefillSpeeds: Pick<MeasuredSpeeds, 'byFile'>;
  readonly decodeSpeeds: Pick<MeasuredSpeeds, 'byFile'>;
}

/** The starter model with everything that it can take, in contexts of usual length. */
const STARTER_AMPLE_BYTES = 2 ** 30;
const USUAL_CONTEXT = 8192;

interface CachedHeader {
  readonly header: GgufHeader;
  readonly modifiedMs: number;
  readonly bytes: number;
}

/** A file before it is opened. */
interface NamedFile {
  readonly path: string;
  readonly source: ModelSource;
  /** Null to use the file's own name. */
  readonly name: string | null;
}

/** With these codes the engine reports that it cannot read a file. */
const FILE_ERRORS = new Set<EngineErrorInfo['code']>(['notGguf', 'truncatedFile', 'unsupportedModel', 'loadFailed']);

/** The limits to judge by: a list uses the budget alone, the others the free memory too. */
type Purpose = 'list' | 'now' | 'load';

interface Judged {
  /** Null if the file has no valid facts. */
  readonly offer: ModelOffer | null;
  readonly need: MemoryNeed | null;
  /** Why it cannot be used; null if it can. */
  readonly error: EngineErrorInfo | null;
}

/** Every model for this machine, and whether and how a given one can be used. Reads headers only. */
export class ModelLibrary {
  readonly #options: LibraryOptions;
  readonly #speeds: SpeedPredictor;
  /** By path: lists are requested more often than files change. */
  readonly #headers = new Map<string, CachedHeader>();
  /** The client's download folder, as last reported. */
  #storeDirectory: string | null = null;

  constructor(options: LibraryOptions) {
    this.#options = options;
    this.#speeds = new SpeedPredictor({
      ...options,
      threads: () => options.loadRequest().threads ?? 0,
      header: (path) => this.#header(path, {}),
    });
  }

  /** @param storeDirectory of the client's downloads; null without one */
  async list(storeDirectory: string | null, signal: AbortSignal): Promise<ModelList> {
    this.#storeDirectory = storeDirectory;
    const { memoryBytes, surroundings } = this.#options.machine;
    const predict = await this.#speeds.now();
    const starter = await this.#offer(this.#starter, predict);
    const { models, unfinishedFolders } = await discoverModels(surroundings, storeDirectory, signal);
    const found: ModelOffer[] = [];
    for (const file of models) {
      if (signal.aborted) break;
      const offer = await this.#offerIfModel(file, predict);
      if (offer !== null) found.push(offer);
    }
    const offers = [starter, ...rankOffers(found), ...rankOffers(this.#catalogue(predict))];
    const recommendedId = (recommend(offers) ?? starter).id;
    return { memoryBytes, offers, recommendedId, unfinishedFolders };
  }

  /** What a user without a chat model could download; null if none fits this machine. */
  async chatModelToDownload(): Promise<ModelOffer | null> {
    return smallestChatModel(this.#catalogue(await this.#speeds.now()));
  }

  /**
   * Whether a file can be used here; if not, why, and what could be used instead.
   *
   * @param path empty for the starter model
   */
  async check(
    path: string,
    storeDirectory: string | null,
    signal: AbortSignal,
    options: ReadOptions = {},
  ): Promise<ModelCheck> {
    const named = path === '' ? this.#starter : ({ path, source: 'file', name: null } as const);
    this.#storeDirectory = storeDirectory;
    const judged = await this.#judge(named, this.#loadRequestFor(named.path), options, 'now');
    if (judged.error === null && judged.offer !== null) return { kind: 'usable', offer: judged.offer };
    const error = judged.error ?? { code: 'internal', message: `${named.path} was not judged` };
    return {
      kind: 'refused',
      error,
      contextLength: fittingContext(judged),
      canChat: error.code === 'noFimTokens' && judged.offer?.capabilities.chat === true,
      alternative:
        (await this.#alternativeTo(judged, signal)) ?? (await this.#offer(this.#starter, await this.#speeds.now())),
    };
  }

  /** How to load a model within the budget, or why that is impossible, with the nearest alternative. Never rejects. */
  async plan(loadRequest: LoadRequest): Promise<LoadPlan> {
    const { planner, starterModelPath } = this.#options;
    const options = optionsOf(loadRequest);
    const longest = Math.max(loadRequest.contextLength ?? 0, loadRequest.chatContextLength ?? 0);
    const isUsualStarter = loadRequest.path === starterModelPath && longest <= USUAL_CONTEXT;
    if (isUsualStarter && planner.hasRoomFor(STARTER_AMPLE_BYTES, loadRequest)) {
      // It was trained for longer contexts than any request takes.
      const contextLength = loadRequest.contextLength || (loadRequest.suggestionTokens ?? 0);
      return { kind: 'fits', options: { ...options, contextLength } };
    }
    const judged = await this.#judge({ path: loadRequest.path, source: 'file', name: null }, loadRequest, {}, 'load');
    if (judged.error === null) {
      return { kind: 'fits', options: judged.need?.kind === 'fits' ? judged.need.options : options };
    }
    if (judged.error.code !== 'outOfMemory') return { kind: 'refused', error: judged.error };
    const { code, message } = judged.error;
    return { kind: 'refused', error: { code, message: t('{0}. {1}', message, await this.#wayOut(judged)) } };
  }

  /**
   * The facts in a file.
   *
   * @throws EngineError as `readGgufHeader`
   */
  header(path: string): Promise<GgufHeader> {
    return this.#header(path, {});
  }

  /** Id of the token that ends a text, as the file names it; null where it names none or cannot be read. */
  async eosToken(path: string): Promise<number | null> {
    try {
      return (await this.#header(path, {})).eosToken;
    } catch {
      return null;
    }
  }

  /** What the file says of its making; blank where it cannot be read, which is the load's to report. */
  async card(path: string): Promise<ModelCard> {
    const isStarter = path === this.#options.starterModelPath;
    try {
      const { languages, trainedLength, nextEditFormat } = await this.#header(path, {});
      return { isStarter, languages, trainingContextLength: trainedLength, nextEditFormat };
    } catch {
      return { ...BLANK_CARD, isStarter };
    }
  }

  get #starter(): NamedFile {
    return { path: this.#options.starterModelPath, source: 'starter', name: null };
  }

  #catalogue(predict: PredictSpeed): readonly ModelOffer[] {
    return CATALOGUE.map((entry) => offerForEntry(entry, this.#limits, predict));
  }

  get #limits(): MemoryLimits {
    return {
      machineBytes: this.#options.machine.memoryBytes,
      budgetBytes: this.#options.loadRequest().budgetBytes ?? 0,
    };
  }

  #loadRequestFor(path: string): LoadRequest {
    return { ...this.#options.loadRequest(), path };
  }

  async #wayOut(judged: Judged): Promise<string> {
    const context = fittingContext(judged);
    if (context !== null) return t('A context of {0} tokens would fit', context);
    // A folder that cannot be read hides the alternatives, but not the refusal.
    const other = await this.#alternativeTo(judged, new AbortController().signal).catch(() => null);
    return other === null
      ? t('No known model would fit')
      : t('{0} ({1} GB) would fit', other.name, formatNumber(other.memoryBytes / 1e9, 1));
  }

  /** Null if no known model fits. */
  async #alternativeTo({ offer, need }: Judged, signal: AbortSignal): Promise<ModelOffer | null> {
    const { offers } = await this.list(this.#storeDirectory, signal);
    const limitBytes = need?.kind === 'tooLarge' ? need.limitBytes : Number.POSITIVE_INFINITY;
    const others = offers.filter(
      ({ path, memoryBytes }) => memoryBytes <= limitBytes && (path === null || path !== offer?.path),
    );
    return nearestAlternative(others, offer);
  }

  async #judge(file: NamedFile, loadRequest: LoadRequest, options: ReadOptions, purpose: Purpose): Promise<Judged> {
    try {
      const header = await this.#header(file.path, options);
      const need = await this.#need(header, loadRequest, options, purpose);
      const offer = offerForFile({ ...file, header, need }, this.#limits, await this.#speeds.now());
      return { offer, need, error: offer.refusal };
    } catch (thrown) {
      return { offer: null, need: null, error: toEngineError(thrown).info };
    }
  }

  /** Null for a file that is not a model of its own, or cannot be read. */
  async #offerIfModel(file: NamedFile, predict: PredictSpeed): Promise<ModelOffer | null> {
    try {
      const kind = modelKind(await this.#header(file.path, {}));
      return kind === 'decoder' || kind === 'unknown' ? await this.#offer(file, predict) : null;
    } catch (thrown) {
      if (thrown instanceof EngineError) return null;
      throw thrown;
    }
  }

  async #offer(file: NamedFile, predict: PredictSpeed): Promise<ModelOffer> {
    const header = await this.#header(file.path, {});
    const need = await this.#need(header, this.#loadRequestFor(file.path), {}, 'list');
    return offerForFile({ ...file, header, need }, this.#limits, predict);
  }

  /** A model's memory, estimated by the engine if it could load the model at all. */
  async #need(
    header: GgufHeader,
    loadRequest: LoadRequest,
    { partial }: ReadOptions,
    purpose: Purpose,
  ): Promise<MemoryNeed> {
    const { planner } = this.#options;
    const least = loadRequest.contextLength || Math.min(LEAST_CONTEXT, defaultContextLength(header, 0));
    const guess = { kind: 'guess', memoryBytes: planner.besidesBytes + estimateFromHeader(header, least) } as const;
    const isOfUse = modelKind(header) === 'decoder' && (header.fim || header.chat);
    if (partial || !isOfUse) return guess;
    try {
      return await (purpose === 'load'
        ? planner.planLoad(header, loadRequest)
        : planner.plan(header, loadRequest, purpose === 'now'));
    } catch (thrown) {
      const error = toEngineError(thrown).info;
      return FILE_ERRORS.has(error.code) ? { kind: 'unloadable', memoryBytes: guess.memoryBytes, error } : guess;
    }
  }

  async #header(path: string, options: ReadOptions): Promise<GgufHeader> {
    const status = await ifReadable(stat(path));
    // A growing file is read each time.
    if (options.partial || status === null) return readGgufHeader(path, options);
    const cached = this.#headers.get(path);
    if (cached?.bytes === status.size && cached.modifiedMs === status.mtimeMs) return cached.header;
    const header = await readGgufHeader(path);
    this.#headers.set(path, { header, modifiedMs: status.mtimeMs, bytes: status.size });
    return header;
  }
}

function fittingContext({ need }: Judged): number | null {
  return need?.kind === 'tooLarge' ? need.fittingContext : null;
}
