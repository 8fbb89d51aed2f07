import { Worker } from 'node:worker_threads';
import type { WatchdogLimits, WatchdogThread } from './load-addon.js';

/** The addon's watchdog (native/addon/watchdog/watchdog.cpp) in JavaScript. A thread has a loop of its own. */
const PROGRAM = `
const { workerData: { shared, stallMs, abandonedMs } } = require('node:worker_threads');
const TURN_MS = 250;
const STUCK_TURNS = 8;
const numbers = new Int32Array(shared);
let seen = 0;
let silent = 0;
let abandoned = 0;
function isGone(pid) {
  if (pid === 0) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}
setInterval(() => {
  const beats = Atomics.load(numbers, 0);
  silent = beats === seen ? silent + 1 : 0;
  seen = beats;
  abandoned = isGone(Atomics.load(numbers, 1)) ? abandoned + 1 : 0;
  const isStalled = stallMs > 0 && silent * TURN_MS >= stallMs;
  const isStuck = abandoned > 0 && stallMs > 0 && silent >= STUCK_TURNS;
  if (isStalled || isStuck || (abandonedMs > 0 && abandoned * TURN_MS >= abandonedMs)) {
    process.kill(process.pid, 'SIGKILL');
  }
}, TURN_MS);
`;

/** For a server without the addon, which may still use a remote server. */
export class ThreadWatchdog implements WatchdogThread {
  readonly #numbers = new Int32Array(new SharedArrayBuffer(8));
  readonly #worker: Worker;

  constructor(limits: WatchdogLimits) {
    const workerData = { ...limits, shared: this.#numbers.buffer };
    this.#worker = new Worker(PROGRAM, { eval: true, workerData, execArgv: [] });
    this.#worker.unref();
  }

  beat(): void {
    Atomics.add(this.#numbers, 0, 1);
  }

  follow(processId: number): void {
    Atomics.store(this.#numbers, 1, processId);
  }

  watchSigterm(): void {
    // No other thread of JavaScript sees a signal: a stuck loop ends at its usual limit.
  }

  stop(): void {
    void this.#worker.terminate();
  }
}
