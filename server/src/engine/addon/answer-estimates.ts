import type { LoadOptions } from '../port/engine.js';
import { toEngineError } from '../port/engine-error.js';
import { type EstimateAnswer, type EstimateQuestion, HELLO } from './estimate-process.js';
import { loadAddon, loadGpuAddon } from './load-addon.js';
import { followParent } from './watchdog.js';

type Addon = ReturnType<typeof loadAddon>;

/** The program of the process that `EstimateProcess` starts: it answers until its parent is gone. */
export function answerEstimates(nativeDirectory: string, environment: NodeJS.ProcessEnv): void {
  let addon: Addon | null = null;
  let gpuAddon: Addon | null = null;
  // Without a device, no driver is started.
  const addonFor = ({ device }: LoadOptions): Addon => {
    if (device === undefined) {
      addon ??= loadAddon(nativeDirectory, environment);
      return addon;
    }
    gpuAddon ??= loadGpuAddon(nativeDirectory);
    return gpuAddon;
  };
  // A driver that hangs while it starts keeps the loop from hearing of the parent's end.
  followParent(nativeDirectory, environment);
  // An orderly end would wait for a thread that may never be done with a file.
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  process.on('message', async ({ options }: EstimateQuestion) => {
    let answer: EstimateAnswer;
    try {
      answer = { estimate: await addonFor(options).estimateMemory(options) };
    } catch (thrown) {
      answer = { error: toEngineError(thrown).info };
    }
    process.send?.(answer);
  });
  process.send?.(HELLO);
}
