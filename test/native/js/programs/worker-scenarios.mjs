// Engines in worker threads: `node worker-scenarios.mjs ADDON MODEL SCENARIO`. worker.test.ts runs it in a separate
// process. The workers run this file too.
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';

const [addonFile, modelPath, scenario] = process.argv.slice(2);
const addon = createRequire(import.meta.url)(addonFile);

const LONG = { prompt: ['// Numbers.\nfunction double(n: number): number {\n'], maxTokens: 480 };
const SHORT = { ...LONG, maxTokens: 8 };
const ROUNDS = 6;

async function loadedEngine(threads = 1) {
  const engine = new addon.Engine({ onLog: () => undefined });
  await engine.load({ path: modelPath, contextLength: 512, threads });
  return engine;
}

/** The workers' tasks, by name; a task posts 'now' at the moment that the parent waits for. */
const tasks = {
  async generate() {
    const engine = await loadedEngine(2);
    engine.generate(LONG, () => parentPort.postMessage('now'));
    engine.generate(LONG, () => undefined);
  },
  async load() {
    new addon.Engine().load({ path: modelPath, onProgress: () => parentPort.postMessage('now') });
  },
  async tokenize() {
    const engine = await loadedEngine();
    for (let call = 0; call < 8; call += 1) engine.tokenize(LONG.prompt[0].repeat(2000));
    parentPort.postMessage('now');
  },
  async close() {
    const engine = await loadedEngine();
    engine.generate(LONG);
    engine.close();
    parentPort.postMessage('now');
  },
  async exit() {
    const engine = await loadedEngine();
    engine.generate(LONG, () => process.exit(0));
  },
  async end() {
    const engine = await loadedEngine();
    const { text } = await engine.generate(SHORT).result;
    parentPort.postMessage(text);
  },
};

function startWorker(task) {
  return new Worker(fileURLToPath(import.meta.url), { argv: [addonFile, modelPath, task] });
}

async function terminateDuring(task) {
  for (let round = 0; round < ROUNDS; round += 1) {
    const worker = startWorker(task);
    await once(worker, 'message');
    await delay(round * 7);
    await worker.terminate();
  }
}

const scenarios = {
  terminateWhileGenerating: () => terminateDuring('generate'),
  terminateWhileLoading: () => terminateDuring('load'),
  terminateWhileTokenizing: () => terminateDuring('tokenize'),
  terminateWhileClosing: () => terminateDuring('close'),

  async exitInWorker() {
    for (let round = 0; round < ROUNDS; round += 1) {
      const [code] = await once(startWorker('exit'), 'exit');
      if (code !== 0) throw new Error(`the worker ended with ${code}`);
    }
  },

  /** A worker ends while its engine is still open. */
  async workerEnds() {
    const engine = await loadedEngine();
    const { text } = await engine.generate(SHORT).result;
    for (let round = 0; round < ROUNDS; round += 1) {
      const worker = startWorker('end');
      const exited = once(worker, 'exit');
      const [fromWorker] = await once(worker, 'message');
      const [code] = await exited;
      if (fromWorker !== text || code !== 0) throw new Error(`the worker said ${fromWorker} and ended with ${code}`);
    }
  },

  /** Engines of the main thread and of another worker survive the end of a worker. */
  async othersGoOn() {
    const engine = await loadedEngine();
    const { text } = await engine.generate({ ...LONG, maxTokens: 64 }).result;
    const ended = startWorker('generate');
    const other = startWorker('end');
    const answer = once(other, 'message');
    await once(ended, 'message');
    const [own] = await Promise.all([engine.generate({ ...LONG, maxTokens: 64 }).result, ended.terminate()]);
    const [fromOther] = await answer;
    if (own.text !== text || !text.startsWith(fromOther)) throw new Error('another engine was disturbed');
  },

  async exitWithBusyWorkers() {
    const workers = [startWorker('generate'), startWorker('generate')];
    await Promise.all(workers.map((worker) => once(worker, 'message')));
    console.log('ok');
    process.exit(0);
  },
};

if (isMainThread) {
  await scenarios[scenario]();
  const engine = await loadedEngine();
  await engine.generate(SHORT).result;
  console.log('ok');
} else {
  await tasks[scenario]();
}
