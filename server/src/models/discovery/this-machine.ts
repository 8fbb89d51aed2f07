import { availableParallelism, homedir, totalmem } from 'node:os';
import type { SystemEnvironment } from './locations.js';

export interface Machine {
  readonly surroundings: SystemEnvironment;
  /** Memory of the machine, or of the container that this process may use, in bytes. */
  readonly memoryBytes: number;
  /** Whether models run on a GPU, known even before a load. */
  readonly unifiedMemory: boolean;
  /** Threads that a model computes with, unless the settings say otherwise. */
  readonly threads: number;
}

export function thisMachine(environment: NodeJS.ProcessEnv): Machine {
  // 0 without a limit that Node knows of.
  const constrained = process.constrainedMemory();
  return {
    surroundings: { platform: process.platform, home: homedir(), environment },
    memoryBytes: constrained > 0 ? Math.min(constrained, totalmem()) : totalmem(),
    unifiedMemory: process.platform === 'darwin' && process.arch === 'arm64',
    threads: availableParallelism(),
  };
}
