import type { EngineErrorInfo } from '../../../protocol/index.js';
import type { LoadOptions, LoadRequest } from './engine.js';

/** How a load request can be met here, or why it cannot. */
export type LoadPlan =
  /** `drawback`: what the user did not ask for, and should know. */
  | { readonly kind: 'fits'; readonly options: LoadOptions; readonly drawback?: EngineErrorInfo }
  | { readonly kind: 'refused'; readonly error: EngineErrorInfo };

/** Looks at what can be known of a model before it is loaded, and changes nothing. Never rejects. */
export type PlanLoad = (loadRequest: LoadRequest) => Promise<LoadPlan>;

/** What an engine needs to know of a load request. */
export function optionsOf(loadRequest: LoadRequest): LoadOptions {
  const { budgetBytes: _, suggestionTokens: __, deviceSetting: ___, deviceBytes: ____, ...rest } = loadRequest;
  const { share: _____, ...options } = rest;
  return options;
}

/** The plan where nothing limits what is loaded. */
export const AS_REQUESTED: PlanLoad = async (loadRequest) => ({ kind: 'fits', options: optionsOf(loadRequest) });

export function withDrawback(plan: LoadPlan, drawback: EngineErrorInfo): LoadPlan {
  return plan.kind === 'fits' ? { ...plan, drawback } : plan;
}

/**
 * Called where no model is loaded, and a plan was refused or its load failed. Returns what to load instead, or null for
 * nothing. If it returns the same request, that is planned once more.
 */
export type Substitute = (loadRequest: LoadRequest, refusal: EngineErrorInfo) => LoadRequest | null;

export const NO_SUBSTITUTE: Substitute = () => null;

/** Acts on a refused plan. @returns whether it is worth planning again. Never rejects. */
export type MakeRoom = (loadRequest: LoadRequest, refusal: EngineErrorInfo) => Promise<boolean>;

/** For engines beside which nothing else can give way. */
export const NO_MORE_ROOM: MakeRoom = async () => false;
