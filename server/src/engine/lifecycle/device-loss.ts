import type { EngineLifecycle } from './engine-lifecycle.js';

/**
 * Calls `act`, once, when the GPU of this engine is lost to this process. The engine has tried a new context by then; a new
 * process is what is left, and the client starts one when this one ends.
 */
export function whenDeviceIsLost(lifecycle: Pick<EngineLifecycle, 'state' | 'onDidChange'>, act: () => void): void {
  let isLost = false;
  lifecycle.onDidChange(() => {
    const { state } = lifecycle;
    if (isLost || state.kind !== 'error' || state.error.code !== 'deviceLost') return;
    isLost = true;
    act();
  });
}

/** Calls `act` each time that this engine has finished an answer. */
export function whenWorkIsDone(lifecycle: Pick<EngineLifecycle, 'state' | 'onDidChange'>, act: () => void): void {
  let wasWorking = false;
  lifecycle.onDidChange(() => {
    const { kind } = lifecycle.state;
    if (wasWorking && kind === 'ready') act();
    wasWorking = kind === 'working';
  });
}
