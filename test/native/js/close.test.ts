import { EventEmitter, once } from 'node:events';
import { beforeAll, describe, expect, test } from 'vitest';
import type { NativeAddon, NativeEngine } from '../../../server/src/engine/addon/addon-types.js';
import { openAddon, runnableFlavours, STARTER_MODEL, testedFlavours } from '../../support/addon.js';

const PROMPT = '// Numbers.\nfunction double(n: number): number {\n';

describe.each(testedFlavours())('close (%s)', (flavour) => {
  let addon: NativeAddon;

  beforeAll(() => {
    addon = openAddon(flavour);
  });

  async function loadedEngine(): Promise<NativeEngine> {
    const engine = new addon.Engine();
    await engine.load({ path: STARTER_MODEL, contextLength: 512, threads: 1 });
    return engine;
  }

  async function expectClosed(engine: NativeEngine): Promise<void> {
    const closed = { code: 'closed' };
    await expect(engine.load({ path: STARTER_MODEL })).rejects.toMatchObject(closed);
    await expect(engine.tokenize('x')).rejects.toMatchObject(closed);
    await expect(engine.detokenize([1])).rejects.toMatchObject(closed);
    const generation = engine.generate({ prompt: ['x'], maxTokens: 1 });
    await expect(generation.result).rejects.toMatchObject(closed);
    generation.abort();
    engine.cancelLoad();
    expect(engine.facts).toBeNull();
    expect(engine.memory()).toMatchObject({ weightsBytes: 0, contextBytes: 0, computeBytes: 0, outputBytes: 0 });
  }

  test('makes every later call reject with closed, or be a no-op', async () => {
    const engine = await loadedEngine();
    await engine.generate({ prompt: [PROMPT], maxTokens: 2 }).result;
    await engine.close();
    await expectClosed(engine);
  });

  test('takes effect when it is called', async () => {
    const engine = await loadedEngine();
    const closing = engine.close();
    await expect(engine.tokenize('x')).rejects.toMatchObject({ code: 'closed' });
    await expect(engine.generate({ prompt: ['x'], maxTokens: 1 }).result).rejects.toMatchObject({ code: 'closed' });
    await closing;
    await expectClosed(engine);
  });

  test('works on an engine that never loaded', async () => {
    const engine = new addon.Engine();
    await engine.close();
    await expectClosed(engine);
  });

  test('works twice, in a row and at once', async () => {
    const engine = await loadedEngine();
    await Promise.all([engine.close(), engine.close()]);
    await engine.close();
    await expectClosed(engine);
  });

  test('during a generation with others waiting ends them all before it resolves', async () => {
    const engine = await loadedEngine();
    const order: string[] = [];
    let shown = '';
    const generationEvents = new EventEmitter();
    const started = once(generationEvents, 'text');
    const running = engine.generate({ prompt: [PROMPT], maxTokens: 480 }, (text) => {
      shown += text;
      generationEvents.emit('text');
    });
    const waiting = [1, 2, 3].map(() => engine.generate({ prompt: [PROMPT], maxTokens: 480 }));
    const results = [running, ...waiting].map(({ result }) =>
      result.then((each) => {
        order.push('generation');
        return each;
      }),
    );
    await started;
    await engine.close().then(() => order.push('close'));
    const [first, ...others] = await Promise.all(results);
    expect(order).toEqual(['generation', 'generation', 'generation', 'generation', 'close']);
    expect(first).toMatchObject({ stopReason: 'aborted', text: shown });
    expect(others.map(({ stopReason, text }) => [stopReason, text])).toEqual(Array(3).fill(['aborted', '']));
    await expectClosed(engine);
  });

  test('works from a listener of the generation that it ends', async () => {
    const engine = await loadedEngine();
    let closing: Promise<void> | undefined;
    const { result } = engine.generate({ prompt: [PROMPT], maxTokens: 480 }, () => {
      closing ??= engine.close();
    });
    expect((await result).stopReason).toBe('aborted');
    await closing;
    await expectClosed(engine);
  });

  test('while a model is loading makes the load reject with loadCancelled or closed', async () => {
    const engine = new addon.Engine();
    const loading = engine.load({ path: STARTER_MODEL });
    const rejected = expect(loading).rejects.toMatchObject({ code: expect.stringMatching(/^(loadCancelled|closed)$/) });
    await engine.close();
    await rejected;
    await expectClosed(engine);
  });

  test('works from the progress of a load', async () => {
    const engine = new addon.Engine();
    let closing: Promise<void> | undefined;
    const outcome = await engine
      .load({
        path: STARTER_MODEL,
        onProgress: () => {
          closing ??= engine.close();
        },
      })
      .then(
        () => 'loaded',
        (error: { code: string }) => error.code,
      );
    expect(outcome).toMatch(/^(loaded|loadCancelled|closed)$/);
    await closing;
    await expectClosed(engine);
  });

  test('lets running tokenize calls end', async () => {
    const engine = await loadedEngine();
    const tokenizing = Array.from({ length: 8 }, () => engine.tokenize(PROMPT.repeat(500)));
    await engine.close();
    expect(new Set((await Promise.all(tokenizing)).map((tokens) => tokens.length)).size).toBe(1);
  });

  test('of one of two engines leaves the other alone', async () => {
    const left = await loadedEngine();
    const right = await loadedEngine();
    const alone = (await right.generate({ prompt: [PROMPT], maxTokens: 32 }).result).text;
    const aborted = left.generate({ prompt: [PROMPT], maxTokens: 480 }).result;
    const whole = right.generate({ prompt: [PROMPT], maxTokens: 32 }).result;
    await left.close();
    expect((await aborted).stopReason).toBe('aborted');
    expect(await whole).toMatchObject({ text: alone, stopReason: 'maxTokens' });
    expect((await right.generate({ prompt: [PROMPT], maxTokens: 32 }).result).text).toBe(alone);
    await right.close();
  });
});

test('engines side by side, of both flavours, answer at the same time', async () => {
  const engines = [...runnableFlavours(), ...runnableFlavours()].map((flavour) => new (openAddon(flavour).Engine)());
  await Promise.all(engines.map((engine) => engine.load({ path: STARTER_MODEL, contextLength: 512, threads: 1 })));
  const results = await Promise.all(
    engines.map((engine) => engine.generate({ prompt: [PROMPT], maxTokens: 16 }).result),
  );
  expect(results.map(({ tokens }) => tokens.length)).toEqual(engines.map(() => 16));
  const half = results.length / 2;
  for (let index = 0; index < half; index += 1) expect(results[index]?.text).toBe(results[index + half]?.text);
  await Promise.all(engines.map((engine) => engine.close()));
});
