import { toEngineError } from './engine-error.js';
import { type EstimateAnswer, type EstimateQuestion, HELLO } from './estimate-process.js';
import { loadAddon } from './load-addon.js';

/** The program of the process that `EstimateProcess` starts: it answers until its parent is gone. */
export function answerEstimates(nativeDirectory: string, environment: NodeJS.ProcessEnv): void {
  let addon: ReturnType<typeof loadAddon> | null = null;
  // An orderly end would wait for a thread that may never be done with a file.
  process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  process.on('message', async ({ options }: EstimateQuestion) => {
    let answer: EstimateAnswer;
    try {
      addon ??= loadAddon(nativeDirectory, environment);
      answer = { estimate: await addon.estimateMemory(options) };
    } catch (thrown) {
      answer = { error: toEngineError(thrown).info };
    }
    process.send?.(answer);
  });
  process.send?.(HELLO);
}
