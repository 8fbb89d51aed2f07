// Ways for a process with the addon to end: `node process-scenarios.mjs ADDON MODEL SCENARIO [MILLISECONDS]`.
// process.test.ts runs it in a separate process, because a mistake here would also end the test runner.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';

const [addonFile, modelPath, scenario, milliseconds = '0'] = process.argv.slice(2);
const addon = createRequire(import.meta.url)(addonFile);
const wait = Number(milliseconds);

const LONG = { prompt: ['// Numbers.\nfunction double(n: number): number {\n'], maxTokens: 480 };
const SHORT = { ...LONG, maxTokens: 8 };

async function loadedEngine({ threads = 2, ...options } = {}) {
  const engine = new addon.Engine(options);
  await engine.load({ path: modelPath, contextLength: 512, threads });
  return engine;
}

function exitAfter() {
  setTimeout(() => process.exit(0), wait);
}

async function collectGarbage() {
  for (let round = 0; round < 5; round += 1) {
    globalThis.gc();
    await delay(10);
  }
}

const scenarios = {
  async exitWhileGenerating() {
    const engine = await loadedEngine();
    engine.generate(LONG, () => undefined);
    engine.generate(LONG, () => undefined);
    exitAfter();
  },

  async exitFromListener() {
    const engine = await loadedEngine();
    engine.generate(LONG, () => process.exit(0));
  },

  async exitWhileLoading() {
    new addon.Engine().load({ path: modelPath, onProgress: () => undefined });
    exitAfter();
  },

  async exitFromProgress() {
    new addon.Engine().load({ path: modelPath, onProgress: () => process.exit(0) });
  },

  async exitWhileTokenizing() {
    const engine = await loadedEngine();
    for (let call = 0; call < 8; call += 1) engine.tokenize(LONG.prompt[0].repeat(2000));
    exitAfter();
  },

  async exitWhileClosing() {
    const engine = await loadedEngine();
    engine.generate(LONG);
    engine.close();
    exitAfter();
  },

  async exitWithIdleEngines() {
    await loadedEngine();
    await loadedEngine();
    new addon.Engine();
    process.exit(0);
  },

  async throwWhileGenerating() {
    const engine = await loadedEngine();
    engine.generate(LONG, () => undefined);
    setTimeout(() => {
      throw new Error('nobody catches this');
    }, wait);
  },

  /** The scenarios below do not call process.exit: the process ends when nothing keeps it alive. */
  async idleEngineLetsGo() {
    const engine = await loadedEngine({ threads: 1, onLog: () => undefined });
    await engine.generate(SHORT).result;
    console.log('idle');
  },

  async emptyEngineLetsGo() {
    new addon.Engine();
    console.log('idle');
  },

  async failedLoadLetsGo() {
    const { code } = await new addon.Engine().load({ path: '/nowhere' }).catch((error) => error);
    console.log(code);
  },

  async generationKeepsAlive() {
    const engine = await loadedEngine({ threads: 1 });
    engine.generate(SHORT).result.then(({ stopReason }) => console.log(stopReason));
  },

  async loadKeepsAlive() {
    new addon.Engine().load({ path: modelPath }).then(({ architecture }) => console.log(architecture));
  },

  /** A copy of the text does not fit into what is left of the addresses. */
  async noRoomForText() {
    const engine = new addon.Engine();
    // Held to the end, since the garbage collector would make room.
    globalThis.bytes = Buffer.alloc(2 ** 28, 'x');
    const text = globalThis.bytes.toString('latin1');
    const limitAddresses = (limit) => execFileSync('prlimit', ['--pid', String(process.pid), `--as=${limit}:`]);
    const kilobytes = Number(/VmSize:\s*(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))[1]);
    const codeOf = async (call) => {
      try {
        await call();
        return 'done';
      } catch (error) {
        return error.code;
      }
    };
    limitAddresses(kilobytes * 1024 + 200_000_000);
    const codes = [
      codeOf(() => engine.tokenize(text)),
      codeOf(() => engine.generate({ ...SHORT, prompt: [text] }).result),
      codeOf(() => engine.generate({ ...SHORT, draft: text }).result),
      codeOf(() => engine.load({ path: text })),
    ];
    limitAddresses('unlimited');
    codes.push(codeOf(() => engine.tokenize('text')));
    for (const code of codes) console.log(await code);
  },

  /** Every object inherits a setter, so the first result with this key cannot be made. Both results come at once. */
  async resultThatCannotBeMade() {
    const engine = await loadedEngine({ threads: 1 });
    let failures = 0;
    const refuseOnce = (key) =>
      Object.defineProperty(Object.prototype, key, {
        configurable: true,
        set(value) {
          Object.defineProperty(this, key, { value, enumerable: true });
          failures += 1;
          if (failures === 1) throw new Error(`no room for ${key}`);
        },
      });
    const generate = () => engine.generate({ ...SHORT, maxTokens: 1 }).result;
    const outcome = (result) =>
      result.then(
        (value) => value.stopReason ?? 'made',
        (error) => error.message,
      );
    process.on('uncaughtException', (error) => console.log(`uncaught: ${error.message}`));

    refuseOnce('stopReason');
    const results = [generate(), generate()].map(outcome);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000);
    console.log((await Promise.all(results)).join(', '));
    delete Object.prototype.stopReason;

    failures = 0;
    refuseOnce('swapBudgetBytes');
    console.log(await outcome(addon.estimateMemory({ path: modelPath })));
    delete Object.prototype.swapBudgetBytes;
    await engine.close();
  },

  async garbage() {
    const collected = [];
    const registry = new FinalizationRegistry((name) => collected.push(name));
    const makeGarbage = async (name) => {
      const engine = await loadedEngine({ threads: 1 });
      await engine.generate(SHORT).result;
      registry.register(engine, name);
    };
    await makeGarbage('plain');
    await collectGarbage();
    const before = new addon.Engine().memory().processRssBytes;
    for (let round = 0; round < 4; round += 1) {
      await makeGarbage(`round ${round}`);
      await collectGarbage();
    }
    const grown = new addon.Engine().memory().processRssBytes - before;
    console.log(collected.sort().join(', '));
    console.log(grown < 60e6 ? 'memory freed' : `memory grew by ${grown} bytes`);
  },

  async garbageWithLog() {
    const collected = [];
    const registry = new FinalizationRegistry((name) => collected.push(name));
    const makeGarbage = () => {
      // Listener and engine refer to each other: a cycle.
      let engine = null;
      engine = new addon.Engine({ onLog: () => engine.facts });
      registry.register(engine, 'cycle');
    };
    makeGarbage();
    await collectGarbage();
    console.log(collected.join(', '));
  },

  async garbageWhileGenerating() {
    const start = async () => (await loadedEngine({ threads: 1 })).generate({ ...LONG, maxTokens: 64 }).result;
    const result = start();
    await delay(50);
    await collectGarbage();
    const { stopReason } = await result;
    await collectGarbage();
    console.log(stopReason);
  },
};

await scenarios[scenario]();
