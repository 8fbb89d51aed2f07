import { stat } from 'node:fs/promises';
import {
  type EngineErrorInfo,
  formatEstimate,
  type ModelCheck,
  type ModelList,
  type ModelOffer,
  type ModelSource,
  t,
} from '../../protocol/index.js';
import type { DevicePlanner } from '../engine/devices/device-plan.js';
import type { MeasuredSpeeds } from '../engine/measured/measured-speeds.js';
import type { LoadRequest } from '../engine/port/engine.js';
import { EngineError, toEngineError } from '../engine/port/engine-error.js';
import { BLANK_CARD, type ModelCard } from '../engine/port/model-facts.js';
import { type LoadPlan, optionsOf } from '../engine/port/plan-load.js';
import { ifReadable } from '../util/if-readable.js';
import { CATALOGUE, type CatalogueEntry } from './catalogue/catalogue.js';
import { discoverModels } from './discovery/discover.js';
import type { Machine } from './discovery/this-machine.js';
import { modelKind } from './gguf/architectures.js';
import { type GgufHeader, type ReadOptions, readGgufHeader } from './gguf/gguf-header.js';
import { type MemoryNeed, offerForEntry, offerForFile, offerForLostStarter } from './model-offer.js';
import { LEAST_CONTEXT } from './planning/load-plan.js';
import type { LoadPlanner } from './planning/load-planner.js';
import {
  defaultContextLength,
  estimateFromClass,
  estimateFromHeader,
  type MemoryLimits,
} from './planning/memory-need.js';
import { bestChatModel, nearestAlternative, rankOffers, recommend, smallestChatModel } from './selection.js';
import type { PredictSpeed } from './speed/predicted-speed.js';
import { SpeedPredictor } from './speed/speed-predictor.js';

export interface LibraryOptions {
  readonly starterModelPath: string;
  readonly machine: Machine;
  /** Such as `CPU` or `Metal`; null before the first load. */
  readonly backend: () => string | null;
  /** The threads of the loaded model; null without one. */
  readonly usedThreads: () => number | null;
  /** As in `SpeedPredictorOptions`. */
  readonly isIntegrated: () => boolean;
  /** The load request from the settings, for any model. */
  readonly loadRequest: () => LoadRequest;
  readonly planner: LoadPlanner;
  readonly places: Places;
  readonly prefillSpeeds: Pick<MeasuredSpeeds, 'byFile'>;
  readonly decodeSpeeds: Pick<MeasuredSpeeds, 'byFile'>;
}

/** Where models could be loaded besides the processor. */
export interface Places extends Pick<DevicePlanner, 'place'> {
  /** What a device adds to the machine's memory for a model that needs so many bytes. */
  addedBytes(loadRequest: LoadRequest, neededBytes: number): number;
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
      threads: () => options.usedThreads() ?? options.loadRequest().threads ?? 0,
      header: (path) => this.#header(path, {}),
    });
  }

  /** @param storeDirectory of the client's downloads; null without one */
  async list(storeDirectory: string | null, signal: AbortSignal): Promise<ModelList> {
    this.#storeDirectory = storeDirectory;
    const { memoryBytes } = this.#options.machine;
    const predict = await this.#speeds.now();
    const starter = await this.#starterOffer(predict);
    const { found, unfinishedFolders } = await this.#discover(storeDirectory, predict, signal);
    const offers = [starter, ...rankOffers(found), ...rankOffers(this.#catalogue(predict))];
    const recommended = recommend(offers) ?? (starter.refusal === null ? starter : null);
    return { memoryBytes, offers, recommendedId: recommended?.id ?? '', unfinishedFolders };
  }

  /**
   * What a user whose model cannot chat could use: a model that is on this machine, or else a download. Null if none fits.
   *
   * @param storeDirectory as for `list`
   */
  async chatModelInstead(storeDirectory: string | null): Promise<ModelOffer | null> {
    const predict = await this.#speeds.now();
    // A folder that cannot be read hides its models, but not the download.
    const present = await this.#discover(storeDirectory, predict, new AbortController().signal).catch(() => null);
    return bestChatModel(present?.found ?? []) ?? smallestChatModel(this.#catalogue(predict));
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
    const judged = await this.#judgeForNow(named, options);
    if (judged.error === null && judged.offer !== null) return { kind: 'usable', offer: judged.offer };
    const error = judged.error ?? { code: 'internal', message: `${named.path} was not judged` };
    return {
      kind: 'refused',
      error,
      contextLength: fittingContext(judged),
      canChat: error.code === 'noFimTokens' && judged.offer?.capabilities.chat === true,
      alternative: (await this.#alternativeTo(judged, signal)) ?? (await this.#starterOffer(await this.#speeds.now())),
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

  /** The models in the folders of Inkling and of other programs. */
  async #discover(
    storeDirectory: string | null,
    predict: PredictSpeed,
    signal: AbortSignal,
  ): Promise<{ readonly found: readonly ModelOffer[]; readonly unfinishedFolders: readonly string[] }> {
    const { surroundings } = this.#options.machine;
    const { models, unfinishedFolders } = await discoverModels(surroundings, storeDirectory, signal);
    const found: ModelOffer[] = [];
    for (const file of models) {
      if (signal.aborted) break;
      const offer = await this.#offerIfModel(file, predict);
      if (offer !== null) found.push(offer);
    }
    return { found, unfinishedFolders };
  }

  #catalogue(predict: PredictSpeed): readonly ModelOffer[] {
    const loadRequest = this.#options.loadRequest();
    const limitsOf = (entry: CatalogueEntry) => this.#limits(this.#withAdded(loadRequest, estimateFromClass(entry)));
    return CATALOGUE.map((entry) => offerForEntry(entry, limitsOf(entry), predict));
  }

  #limits({ budgetBytes = 0, deviceBytes = 0 }: LoadRequest): MemoryLimits {
    const { machine, planner } = this.#options;
    const { workingSetBytes } = planner;
    return { machineBytes: machine.memoryBytes, deviceBytes, workingSetBytes, budgetBytes };
  }

  #loadRequestFor(path: string): LoadRequest {
    return { ...this.#options.loadRequest(), path };
  }

  /** With what a device is likely to add. The load's own plan asks the device. */
  #withAdded(loadRequest: LoadRequest, neededBytes: number): LoadRequest {
    return { ...loadRequest, deviceBytes: this.#options.places.addedBytes(loadRequest, neededBytes) };
  }

  async #wayOut(judged: Judged): Promise<string> {
    const context = fittingContext(judged);
    if (context !== null) return t('A context of {0} tokens would fit', context);
    // A folder that cannot be read hides the alternatives, but not the refusal.
    const other = await this.#alternativeTo(judged, new AbortController().signal).catch(() => null);
    return other === null
      ? t('No known model would fit')
      : t('{0} ({1}) would fit', other.name, formatEstimate(other.memoryBytes));
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

  /** Judges a model that may be loaded at once. */
  async #judgeForNow(file: NamedFile, options: ReadOptions): Promise<Judged> {
    const attempt = (loadRequest: LoadRequest) => this.#judge(file, loadRequest, options, 'now');
    const loadRequest = this.#loadRequestFor(file.path);
    // No device can estimate what has not arrived.
    if (options.partial) return attempt(loadRequest);
    return (await this.#options.places.place(loadRequest, attempt, ({ error }) => error === null)).result;
  }

  async #judge(file: NamedFile, loadRequest: LoadRequest, options: ReadOptions, purpose: Purpose): Promise<Judged> {
    try {
      const header = await this.#header(file.path, options);
      const asked = options.partial ? this.#withAdded(loadRequest, this.#guess(header, loadRequest)) : loadRequest;
      const need = await this.#need(header, asked, options, purpose);
      const offer = offerForFile({ ...file, header, need }, this.#limits(asked), await this.#speeds.now());
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

  /** An incomplete installation may lack its file, on which the other models must not depend. */
  async #starterOffer(predict: PredictSpeed): Promise<ModelOffer> {
    try {
      return await this.#offer(this.#starter, predict);
    } catch (thrown) {
      return offerForLostStarter(this.#starter.path, toEngineError(thrown).info);
    }
  }

  async #offer(file: NamedFile, predict: PredictSpeed): Promise<ModelOffer> {
    const header = await this.#header(file.path, {});
    const loadRequest = this.#loadRequestFor(file.path);
    const asked = this.#withAdded(loadRequest, this.#guess(header, loadRequest));
    const need = await this.#need(header, asked, {}, 'list');
    return offerForFile({ ...file, header, need }, this.#limits(asked), predict);
  }

  /** A model's memory, estimated by the engine if it could load the model at all. */
  async #need(
    header: GgufHeader,
    loadRequest: LoadRequest,
    { partial }: ReadOptions,
    purpose: Purpose,
  ): Promise<MemoryNeed> {
    const { planner } = this.#options;
    const guess = { kind: 'guess', memoryBytes: this.#guess(header, loadRequest) } as const;
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

  /** This server's memory with a model, as far as its header tells, in bytes. */
  #guess(header: GgufHeader, { contextLength }: LoadRequest): number {
    const least = contextLength || Math.min(LEAST_CONTEXT, defaultContextLength(header, 0));
    return this.#options.planner.besidesBytes + estimateFromHeader(header, least);
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
