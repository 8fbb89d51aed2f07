import { type EngineErrorInfo, formatFileSize, t } from '../../protocol/index.js';
import type { LoadRequest } from '../engine/port/engine.js';
import { toEngineError } from '../engine/port/engine-error.js';
import { type LoadPlan, optionsOf, type PlanLoad } from '../engine/port/plan-load.js';
import { modelKind } from './gguf/architectures.js';
import type { GgufHeader } from './gguf/gguf-header.js';
import { beyondLimit } from './model-offer.js';
import type { LoadPlanner, Planned } from './planning/load-planner.js';
import { defaultContextLength, type MemoryLimits } from './planning/memory-need.js';

/** The facts in a chat model's file, before its load. */
export interface ChatModelFile {
  readonly name: string;
  readonly architecture: string;
  readonly chatTemplate: string | null;
  /** Length of its context after the load, unless memory requires less. */
  readonly contextLength: number;
}

export interface ChatModelFilesOptions {
  readonly header: (path: string) => Promise<GgufHeader>;
  /** Around a plan: for the device that the model would be loaded onto. */
  readonly onDevices: (plan: PlanLoad) => PlanLoad;
  /** Plans for the separate engine of a chat model. */
  readonly planner: Pick<LoadPlanner, 'planLoad' | 'besidesBytes' | 'workingSetBytes'>;
  /** The load request from the settings, for any model. */
  readonly loadRequest: () => LoadRequest;
  readonly machineBytes: number;
}

/**
 * Models for chat alone. They need a chat template and room beside the other model, but no tokens to fill in the
 * middle.
 */
export class ChatModelFiles {
  readonly #options: ChatModelFilesOptions;

  constructor(options: ChatModelFilesOptions) {
    this.#options = options;
  }

  /** The error for a file that is not a model: a model for chat alone is never loaded then, which would report it. */
  async describe(path: string): Promise<ChatModelFile | EngineErrorInfo> {
    try {
      const header = await this.#options.header(path);
      const { name, architecture, chatTemplate } = header;
      const contextLength = defaultContextLength(header, this.#options.loadRequest().contextLength ?? 0);
      return { name, architecture, chatTemplate, contextLength };
    } catch (thrown) {
      return toEngineError(thrown).info;
    }
  }

  /** Why a model could not be loaded for chat now; null if it could. Never rejects. */
  async refusal(path: string): Promise<EngineErrorInfo | null> {
    const plan = this.#options.onDevices((loadRequest) => this.plan(loadRequest));
    const planned = await plan({ ...this.#options.loadRequest(), path, requireFim: false, suggestionTokens: 0 });
    return planned.kind === 'refused' ? planned.error : null;
  }

  /** How to load a model for chat beside the loaded one, or why that is impossible. Never rejects. */
  async plan(loadRequest: LoadRequest): Promise<LoadPlan> {
    try {
      const header = await this.#options.header(loadRequest.path);
      const unfit = whyUnfit(header);
      return unfit === null
        ? this.#result(header.name, loadRequest, await this.#need(header, loadRequest))
        : refused(unfit);
    } catch (thrown) {
      return refused(toEngineError(thrown).info);
    }
  }

  /** Null if a file that is safe to load cannot be estimated; the engine itself refuses what does not fit the machine. */
  async #need(header: GgufHeader, loadRequest: LoadRequest): Promise<Planned | null> {
    try {
      return await this.#options.planner.planLoad(header, loadRequest);
    } catch (thrown) {
      const error = toEngineError(thrown);
      if (error.code === 'internal') return null;
      throw error;
    }
  }

  #result(name: string, loadRequest: LoadRequest, need: Planned | null): LoadPlan {
    if (need?.kind !== 'tooLarge') return { kind: 'fits', options: need?.options ?? optionsOf(loadRequest) };
    const { planner, machineBytes } = this.#options;
    const { besidesBytes: besides, workingSetBytes } = planner;
    const { budgetBytes = 0, deviceBytes = 0 } = loadRequest;
    const limits: MemoryLimits = { machineBytes, deviceBytes, workingSetBytes, budgetBytes };
    const own = formatFileSize(need.memoryBytes - besides);
    const needs = t('{0} needs about {1} for chat beside the {2} in use', name, own, formatFileSize(besides));
    const shortage = beyondLimit(needs, need, limits);
    const { fittingContext } = need;
    if (fittingContext === null) return refused({ code: 'outOfMemory', message: shortage });
    const wayOut = t('A context of {0} tokens would fit', fittingContext);
    return refused({ code: 'outOfMemory', message: t('{0}. {1}', shortage, wayOut) });
  }
}

function whyUnfit(header: GgufHeader): EngineErrorInfo | null {
  const { name, architecture, chatTemplate } = header;
  const kind = modelKind(header);
  if (kind === 'embedding' || kind === 'reranker') {
    const message = t('{0} cannot chat: it is a model for search, which writes no text', name);
    return { code: 'unsupportedModel', message };
  }
  if (kind !== 'decoder') {
    const message = t("{0} has the architecture '{1}', which Inkling does not support", name, architecture);
    return { code: 'unsupportedModel', message };
  }
  if (chatTemplate !== null) return null;
  return { code: 'unsupportedModel', message: t('{0} cannot chat: it has no chat template', name) };
}

function refused(error: EngineErrorInfo): LoadPlan {
  return { kind: 'refused', error };
}
