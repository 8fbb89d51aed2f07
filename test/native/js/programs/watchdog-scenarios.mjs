// How the addon's watchdog ends processes: `node watchdog-scenarios.mjs ADDON SCENARIO`. watchdog.test.ts runs it in a
// separate process.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';

const [addonFile, scenario] = process.argv.slice(2);
const addon = createRequire(import.meta.url)(addonFile);
const program = fileURLToPath(import.meta.url);

function beating(watchdog) {
  setInterval(() => watchdog.beat(), 100).unref();
  return watchdog;
}

function stuck() {
  for (;;);
}

/** Starts this program again as a child that shares the standard streams, and dies once the child is ready. */
async function dieAbove(childScenario) {
  const stdio = ['ignore', 'inherit', 'inherit', 'ipc'];
  const child = spawn(process.execPath, [program, addonFile, childScenario], { stdio });
  child.on('message', () => process.kill(process.pid, 'SIGKILL'));
  await delay(60_000);
}

const scenarios = {
  async stuckLoop() {
    beating(new addon.Watchdog({ stallMs: 1000, abandonedMs: 0 }));
    await delay(300);
    stuck();
  },

  /** A signal ends a silent loop long before its limit. */
  async stuckAfterSignal() {
    const watchdog = beating(new addon.Watchdog({ stallMs: 30_000, abandonedMs: 0 }));
    process.on('SIGTERM', () => console.log('never'));
    watchdog.watchSigterm();
    watchdog.watchSigterm();
    const pid = String(process.pid);
    spawn('sh', ['-c', `sleep 0.5; kill -TERM ${pid}`], { stdio: 'ignore' });
    await delay(100);
    stuck();
  },

  /** The loop still gets its signal, and ends as it likes. */
  async turningAfterSignal() {
    const watchdog = beating(new addon.Watchdog({ stallMs: 30_000, abandonedMs: 0 }));
    process.on('SIGTERM', () => setTimeout(() => console.log('alive') ?? process.exit(0), 3000));
    watchdog.watchSigterm();
    process.kill(process.pid, 'SIGTERM');
    await delay(60_000);
  },

  /** Nobody listens: the signal ends the process as ever. */
  async unwatchedSignal() {
    beating(new addon.Watchdog({ stallMs: 30_000, abandonedMs: 0 })).watchSigterm();
    process.kill(process.pid, 'SIGTERM');
    await delay(60_000);
  },

  /** What was installed goes with the watchdog. */
  async signalAfterStop() {
    const watchdog = beating(new addon.Watchdog({ stallMs: 30_000, abandonedMs: 0 }));
    process.on('SIGTERM', () => console.log('alive') ?? process.exit(0));
    watchdog.watchSigterm();
    watchdog.stop();
    process.kill(process.pid, 'SIGTERM');
    await delay(60_000);
  },

  async turningLoop() {
    beating(new addon.Watchdog({ stallMs: 1000, abandonedMs: 0 }));
    await delay(2500);
    console.log('alive');
  },

  /** A long task, but shorter than the limit, over and over. */
  async busyLoop() {
    beating(new addon.Watchdog({ stallMs: 2000, abandonedMs: 0 }));
    for (let round = 0; round < 4; round += 1) {
      const end = performance.now() + 700;
      while (performance.now() < end);
      await delay(120);
    }
    console.log('alive');
  },

  async stoppedWatchdog() {
    const watchdog = new addon.Watchdog({ stallMs: 500, abandonedMs: 0 });
    watchdog.stop();
    watchdog.stop();
    await delay(1500);
    console.log('alive');
  },

  /** Nobody beats: the watchdog must go before it bites. */
  async exitAtOnce() {
    for (let count = 0; count < 20; count += 1) new addon.Watchdog({ stallMs: 1000, abandonedMs: 0 });
    process.exit(0);
  },

  async naturalEnd() {
    new addon.Watchdog({ stallMs: 60_000, abandonedMs: 0 });
  },

  async garbage() {
    for (let count = 0; count < 20; count += 1) new addon.Watchdog({ stallMs: 1500, abandonedMs: 0 });
    for (let round = 0; round < 5; round += 1) {
      globalThis.gc();
      await delay(10);
    }
    await delay(2500);
    console.log('alive');
  },

  async badArguments() {
    const watchdog = new addon.Watchdog({ stallMs: 0, abandonedMs: 0 });
    const mistakes = [
      () => new addon.Watchdog(),
      () => new addon.Watchdog({ stallMs: -1, abandonedMs: 0 }),
      () => new addon.Watchdog({ stallMs: 0, abandonedMs: 'soon' }),
      () => watchdog.follow(),
      () => watchdog.follow(0),
      () => watchdog.follow('1'),
    ];
    for (const mistake of mistakes) {
      try {
        mistake();
        console.log('accepted');
      } catch (error) {
        console.log(error instanceof TypeError ? error.message : `no TypeError: ${error}`);
      }
    }
  },

  async orphan() {
    await dieAbove('orphanedChild');
  },

  async stuckOrphan() {
    await dieAbove('stuckOrphanedChild');
  },

  async orphanedChild() {
    const watchdog = beating(new addon.Watchdog({ stallMs: 60_000, abandonedMs: 1000 }));
    watchdog.follow(process.ppid);
    process.send('ready');
    process.on('disconnect', () => undefined);
    await delay(60_000);
  },

  async stuckOrphanedChild() {
    const watchdog = beating(new addon.Watchdog({ stallMs: 60_000, abandonedMs: 60_000 }));
    watchdog.follow(process.ppid);
    process.send('ready', stuck);
  },

  /** The client is another process than the parent, and goes. */
  async lostClient() {
    const client = spawn(process.execPath, ['--eval', 'setTimeout(() => {}, 60_000)'], { stdio: 'ignore' });
    const watchdog = beating(new addon.Watchdog({ stallMs: 60_000, abandonedMs: 1000 }));
    watchdog.follow(client.pid);
    await delay(1500);
    console.log('client lives');
    client.kill('SIGKILL');
    await delay(60_000);
  },

  async workers() {
    for (let round = 0; round < 6; round += 1) {
      const worker = new Worker(program, { argv: [addonFile, 'inWorker'] });
      await new Promise((resolve) => worker.once('message', resolve));
      if (round % 2 === 0) await worker.terminate();
      else await new Promise((resolve) => worker.once('exit', resolve));
    }
    await delay(1000);
    console.log('alive');
  },

  async inWorker() {
    new addon.Watchdog({ stallMs: 500, abandonedMs: 0 });
    parentPort.postMessage('now');
    await delay(100);
  },
};

if (isMainThread || scenario === 'inWorker') await scenarios[scenario]();
