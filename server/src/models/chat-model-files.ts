import { type EngineErrorInfo, t } from '../../protocol/index.js';
import type { LoadRequest } from '../engine/engine.js';
import { toEngineError } from '../engine/engine-error.js';
import type { LoadPlan } from '../engine/plan-load.js';
import { architectureKind } from './architectures.js';
import type { GgufHeader } from './gguf-header.js';
import type { LoadPlanner, Planned } from './load-planner.js';
import { defaultContextLength, type MemoryLimits } from './memory-need.js';
import { beyondLimit, gigabytes } from './model-offer.js';

/** What a file says of a model that chats, before it is loaded. */
export interface ChatModelFile {
  readonly name: string;
  readonly architecture: string;
  readonly chatTemplate: string | null;
  /** Tokens that it will be loaded with, if memory does not ask for fewer. */
  readonly contextLength: number;
}

export interface ChatModelFilesOptions {
  readonly header: (path: string) => Promise<GgufHeader>;
  /** For the engine that a model for chat alone gets. */
  readonly planner: Pick<LoadPlanner, 'planLoad' | 'besidesBytes'>;
  /** What the settings ask for, of whichever model. */
  readonly loadRequest: () => LoadRequest;
  readonly machineBytes: number;
}

/** Models for chat alone: those need a chat template, no tokens to fill in the middle, and room beside the other one. */
export class ChatModelFiles {
  readonly #options: ChatModelFilesOptions;

  constructor(options: ChatModelFilesOptions) {
    this.#options = options;
  }

  /** Null for what is no model. */
  async describe(path: string): Promise<ChatModelFile | null> {
    try {
      const header = await this.#options.header(path);
      const { name, architecture, chatTemplate } = header;
      const contextLength = defaultContextLength(header, this.#options.loadRequest().contextLength ?? 0);
      return { name, architecture, chatTemplate, contextLength };
    } catch {
      // Whoever asks has an answer for that; loading it will say more.
      return null;
    }
  }

  /** Why a model could not be loaded for chat now; null where it could. Never rejects. */
  async refusal(path: string): Promise<EngineErrorInfo | null> {
    const plan = await this.plan({ ...this.#options.loadRequest(), path, requireFim: false });
    return plan.kind === 'refused' ? plan.error : null;
  }

  /** How a model can be loaded for chat beside what is loaded, or why it cannot. Never rejects. */
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

  /** Null where nobody can be asked; the engine refuses by itself what the machine has no room for. */
  async #need(header: GgufHeader, loadRequest: LoadRequest): Promise<Planned | null> {
    try {
      return await this.#options.planner.planLoad(header, loadRequest);
    } catch (thrown) {
      const error = toEngineError(thrown);
      if (error.code === 'internal') return null;
      throw error;
    }
  }

  #result(name: string, { budgetBytes = 0, ...options }: LoadRequest, need: Planned | null): LoadPlan {
    if (need?.kind !== 'tooLarge') return { kind: 'fits', options: need?.options ?? options };
    const { planner, machineBytes } = this.#options;
    const besides = planner.besidesBytes;
    const limits: MemoryLimits = { machineBytes, budgetBytes };
    const own = gigabytes(need.memoryBytes - besides);
    const needs = t('{0} needs about {1} for chat beside the {2} in use', name, own, gigabytes(besides));
    const shortage = beyondLimit(needs, need, limits);
    const { fittingContext } = need;
    if (fittingContext === null) return refused({ code: 'outOfMemory', message: shortage });
    const wayOut = t('A context of {0} tokens would fit', fittingContext);
    return refused({ code: 'outOfMemory', message: t('{0}. {1}', shortage, wayOut) });
  }
}

function whyUnfit({ name, architecture, chatTemplate }: GgufHeader): EngineErrorInfo | null {
  if (architectureKind(architecture) !== 'decoder') {
    const message = t("{0} has the architecture '{1}', which Inkling does not support", name, architecture);
    return { code: 'unsupportedModel', message };
  }
  if (chatTemplate !== null) return null;
  return { code: 'unsupportedModel', message: t('{0} cannot chat: it has no chat template', name) };
}

function refused(error: EngineErrorInfo): LoadPlan {
  return { kind: 'refused', error };
}
