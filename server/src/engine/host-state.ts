import { isDeepStrictEqual } from 'node:util';
import type { EngineErrorInfo, EngineState, UnloadReason } from '../../protocol/index.js';
import type { Engine, LoadOptions, LoadRequest, ModelFacts } from './engine.js';

/** What an engine host is about; the rest of this file is what follows from it, pure. */
export type HostState =
  /** Nothing was asked for yet. */
  | { readonly kind: 'idle' }
  | { readonly kind: 'loading'; readonly progress: number }
  | {
      readonly kind: 'loaded';
      readonly engine: Engine;
      readonly facts: ModelFacts;
      readonly loadRequest: LoadRequest;
      /** What was made of the load request. */
      readonly options: LoadOptions;
      /** Why the model that was asked for since is not in its place. */
      readonly refusal: EngineErrorInfo | null;
      readonly running: number;
      /** Of the last generation, if it failed: the engine is kept, and the next success clears this. */
      readonly failure: EngineErrorInfo | null;
    }
  /** Given back on purpose; the engine may still be closing. */
  | {
      readonly kind: 'unloaded';
      readonly reason: UnloadReason;
      readonly facts: ModelFacts;
      readonly loadRequest: LoadRequest;
    }
  | { readonly kind: 'failed'; readonly error: EngineErrorInfo }
  | { readonly kind: 'closed' };

/** Failures that say something about this one request, not about the engine. */
export const REQUEST_ERRORS: ReadonlySet<EngineErrorInfo['code']> = new Set([
  'promptTooLong',
  'invalidArgument',
  'closed',
  'notLoaded',
  'remoteSlow',
]);

/** Failures of another machine that may be over when it is asked again. */
const PASSING_ERRORS: ReadonlySet<EngineErrorInfo['code']> = new Set(['remoteUnreachable', 'remoteFailed']);

/**
 * Whether another machine is wanted and cannot be used, or failed when it was last asked; and whether it is to be asked
 * anew by itself, or only when the user wants something.
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
      return state.running > 0 ? { kind: 'working' } : describeIdle(state.failure ?? state.refusal);
  }
}

function describeIdle(error: EngineErrorInfo | null): EngineState {
  return error === null ? { kind: 'ready' } : { kind: 'error', error };
}

/** With more or fewer generations on this engine; unchanged where it is no longer the one that is loaded. */
export function withRunning(state: HostState, engine: Engine, step: number): HostState {
  return isLoaded(state, engine) ? { ...state, running: state.running + step } : state;
}

/** With what became of the last generation; unchanged where the engine is no longer the one that is loaded. */
export function withFailure(state: HostState, engine: Engine, failure: EngineErrorInfo | null): HostState {
  return isLoaded(state, engine) ? { ...state, failure } : state;
}

function isLoaded(state: HostState, engine: Engine): state is Extract<HostState, { readonly kind: 'loaded' }> {
  return state.kind === 'loaded' && state.engine === engine;
}

/** A machine that is no longer named is sent nothing more, whether or not anything can take its place. */
export function leavesMachine(state: HostState, { remote }: LoadRequest): boolean {
  return (
    state.kind === 'loaded' &&
    state.loadRequest.remote !== undefined &&
    !isDeepStrictEqual(state.loadRequest.remote, remote)
  );
}

/**
 * What stays, or comes back, where a load request cannot be met; null for nothing. Whoever names another machine wants that one
 * and none of this machine's models in its place while it cannot be reached, nor the other way round.
 */
export function fallbackFor(state: HostState, { remote }: LoadRequest): LoadRequest | null {
  const present = state.kind === 'loaded' || state.kind === 'unloaded' ? state.loadRequest : null;
  return remote === undefined && present?.remote === undefined ? present : null;
}

export function comesBackByItself(reason: UnloadReason): boolean {
  return reason === 'idle' || reason === 'battery';
}

/** Compares whatever options there are, those of later days among them; one that is absent is undefined. */
export function sameOptions(left: LoadRequest, right: LoadRequest): boolean {
  const names = Object.keys({ ...left, ...right }) as (keyof LoadRequest)[];
  return names.every((name) => isDeepStrictEqual(left[name], right[name]));
}

/** For the log; what another machine does not say is left out. */
export function summarize({ name, architecture, quantization, backend, threads, contextLength }: ModelFacts): string {
  const known = [architecture, quantization, backend, threads > 0 ? `${threads} threads` : ''];
  return `${name} (${[...known.filter((each) => each !== ''), `context ${contextLength}`].join(', ')})`;
}
