import type { EngineErrorCode, EngineErrorInfo } from './engine-error.js';
import type { EngineState, InklingStatus } from './status.js';

/** The processor serves after these, though the user expected a GPU. */
const DRAWBACKS: ReadonlySet<EngineErrorCode> = new Set(['deviceUnknown', 'deviceUnusable', 'gpuGivenUp']);

/** What the user should know of a model that serves all the same; null for none, and for an error. */
export function drawbackOf(state: EngineState): EngineErrorInfo | null {
  return state.kind === 'error' && DRAWBACKS.has(state.error.code) ? state.error : null;
}

/** The status of a model that serves, whatever its drawback. */
export function withoutDrawback(status: InklingStatus): InklingStatus {
  return drawbackOf(status.state) === null ? status : { ...status, state: { kind: 'ready' } };
}
