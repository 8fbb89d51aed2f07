import type { EngineErrorInfo, EngineState, UnloadReason } from '../../protocol/index.js';
import type { Engine, LoadOptions, LoadWish, ModelFacts } from './engine.js';

/** What an engine host is about. */
export type HostState =
  /** Nothing was asked for yet. */
  | { readonly kind: 'idle' }
  | { readonly kind: 'loading'; readonly progress: number }
  | {
      readonly kind: 'loaded';
      readonly engine: Engine;
      readonly facts: ModelFacts;
      readonly wish: LoadWish;
      /** What was made of the wish. */
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
      readonly wish: LoadWish;
    }
  | { readonly kind: 'failed'; readonly error: EngineErrorInfo }
  | { readonly kind: 'closed' };

/** Failures that say something about this one request, not about the engine. */
export const REQUEST_ERRORS = new Set<EngineErrorInfo['code']>([
  'promptTooLong',
  'invalidArgument',
  'closed',
  'notLoaded',
]);

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

export function comesBackByItself(reason: UnloadReason): boolean {
  return reason === 'idle' || reason === 'battery';
}

/** Compares whatever options there are, those of later days among them; one that is absent is undefined. */
export function sameOptions(left: LoadWish, right: LoadWish): boolean {
  const names = Object.keys({ ...left, ...right }) as (keyof LoadWish)[];
  return names.every((name) => left[name] === right[name]);
}
