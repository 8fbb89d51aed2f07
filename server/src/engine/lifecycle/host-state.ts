import { isDeepStrictEqual } from 'node:util';
import type { EngineErrorInfo, EngineState, UnloadReason } from '../../../protocol/index.js';
import type { Engine, LoadOptions, LoadRequest } from '../port/engine.js';
import type { Priority } from '../port/generation.js';
import type { ModelFacts } from '../port/model-facts.js';

/** The state of an engine host. The functions of this file say what follows from it; they are pure. */
export type HostState =
  /** No model was asked for yet, or one is about to be loaded. */
  | { readonly kind: 'idle' }
  | { readonly kind: 'loading'; readonly progress: number }
  | LoadedState
  /** Given back on purpose; the engine may still be closing. */
  | {
      readonly kind: 'unloaded';
      readonly reason: UnloadReason;
      readonly facts: ModelFacts;
      readonly loadRequest: LoadRequest;
    }
  | { readonly kind: 'failed'; readonly error: EngineErrorInfo }
  | { readonly kind: 'closed' };

export interface LoadedState {
  readonly kind: 'loaded';
  readonly engine: Engine;
  readonly facts: ModelFacts;
  readonly loadRequest: LoadRequest;
  /** What the plan made of the load request. */
  readonly options: LoadOptions;
  /** Why a model that was asked for since did not take its place. */
  readonly refusal: EngineErrorInfo | null;
  /** Generations; how many of them are answers of the chat, and how many nobody waits for. */
  readonly running: number;
  readonly answering: number;
  readonly inBackground: number;
  /** Why the last generation failed, if it did: the engine is kept, and the next success clears this. */
  readonly failure: EngineErrorInfo | null;
}

/** Failures that say something about this one request, not about the engine. */
export const REQUEST_ERRORS: ReadonlySet<EngineErrorInfo['code']> = new Set([
  'promptTooLong',
  'invalidArgument',
  'closed',
  'notLoaded',
  'remoteSlow',
  'ownerLost',
]);

/** Failures of a remote server that may be over when it is asked again. */
const PASSING_ERRORS: ReadonlySet<EngineErrorInfo['code']> = new Set(['remoteUnreachable', 'remoteFailed']);

/**
 * Whether a remote server is wanted and cannot be used, or failed when it was last asked. After a `passing` failure
 * Inkling tries again by itself; after a `lasting` one only when the user asks for something.
 */
export function remoteFailure(state: HostState, wanted: LoadRequest | null): 'passing' | 'lasting' | null {
  if (wanted?.remote === undefined) return null;
  if (state.kind === 'loaded' && state.failure !== null && state.running === 0) return 'lasting';
  if (state.kind !== 'failed') return null;
  return PASSING_ERRORS.has(state.error.code) ? 'passing' : 'lasting';
}

export function describeState(state: HostState): EngineState {
  switch (state.kind) {
    case 'idle':
    case 'closed':
      return { kind: 'loading', progress: 0 };
    case 'loading':
      return state;
    case 'unloaded':
      return { kind: 'unloaded', reason: state.reason };
    case 'failed':
      return { kind: 'error', error: state.error };
    case 'loaded':
      return describeLoaded(state);
  }
}

/** Work that nobody waits for hides no error. */
function describeLoaded(state: LoadedState): EngineState {
  const { running, inBackground, failure, refusal } = state;
  const error = failure ?? refusal;
  if (error !== null && running === inBackground) return { kind: 'error', error };
  return running > 0 ? describeWork(state) : { kind: 'ready' };
}

/** Names the most urgent work, which the engine does first. */
function describeWork({ running, answering, inBackground }: LoadedState): EngineState {
  if (running > answering + inBackground) return { kind: 'working' };
  return { kind: 'working', work: answering > 0 ? 'answer' : 'background' };
}

/** With more or fewer generations on this engine; unchanged if another engine is loaded by now. */
export function withRunning(state: HostState, engine: Engine, step: number, priority: Priority): HostState {
  if (!isLoaded(state, engine)) return state;
  const answering = state.answering + (priority === 'chat' ? step : 0);
  const inBackground = state.inBackground + (priority === 'background' ? step : 0);
  return { ...state, running: state.running + step, answering, inBackground };
}

/** With the failure of the last generation; unchanged if another engine is loaded by now. */
export function withFailure(state: HostState, engine: Engine, failure: EngineErrorInfo | null): HostState {
  return isLoaded(state, engine) ? { ...state, failure } : state;
}

function isLoaded(state: HostState, engine: Engine): state is LoadedState {
  return state.kind === 'loaded' && state.engine === engine;
}

/** A remote server that the user no longer names gets no more requests, even if no model can take its place. */
export function leavesMachine(state: HostState, { remote }: LoadRequest): boolean {
  return (
    state.kind === 'loaded' &&
    state.loadRequest.remote !== undefined &&
    !isDeepStrictEqual(state.loadRequest.remote, remote)
  );
}

/**
 * The model that stays, or comes back, if a load request cannot be met; null for none. A user who names a remote server
 * wants no model of this machine in its place, and the other way round.
 */
export function fallbackFor(state: HostState, { remote }: LoadRequest): LoadRequest | null {
  const present = state.kind === 'loaded' || state.kind === 'unloaded' ? state.loadRequest : null;
  return remote === undefined && present?.remote === undefined ? present : null;
}

export function comesBackByItself(reason: UnloadReason): boolean {
  return reason === 'idle' || reason === 'battery';
}

/** Whether both ask for the same model of this machine, whatever their other options are. */
export function sameModel(left: LoadRequest, right: LoadRequest): boolean {
  return left.path === right.path && left.remote === undefined && right.remote === undefined;
}

/** Compares all options, so that new ones need no entry here. */
export function sameOptions(left: LoadRequest, right: LoadRequest): boolean {
  const names = Object.keys({ ...left, ...right }) as (keyof LoadRequest)[];
  return names.every((name) => isDeepStrictEqual(left[name], right[name]));
}

/** For the log, without what a remote server does not say. */
export function summarize(facts: ModelFacts): string {
  const { name, architecture, quantization, contextLength } = facts;
  const place = facts.kind === 'local' ? [facts.backend, `${facts.threads} threads`] : [facts.server];
  const known = [architecture, quantization, ...place].filter((each) => each !== null);
  return `${name} (${[...known, `context ${contextLength}`].join(', ')})`;
}
