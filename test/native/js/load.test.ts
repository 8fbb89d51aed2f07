import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { NativeAddon, NativeEngine } from '../../../server/src/engine/addon/addon-types.js';
import { openAddon, STARTER_MODEL, testedFlavours } from '../../support/addon.js';

describe.each(testedFlavours())('load (%s)', (flavour) => {
  let addon: NativeAddon;
  const engines: NativeEngine[] = [];

  beforeAll(() => {
    addon = openAddon(flavour);
  });
  afterEach(async () => {
    await Promise.all(engines.splice(0).map((engine) => engine.close()));
  });

  function newEngine(): NativeEngine {
    const engine = new addon.Engine();
    engines.push(engine);
    return engine;
  }

  test('the binary has the requested flavour', () => {
    if (flavour !== '') expect(addon.flavour).toBe(flavour);
    expect(addon.llamaVersion).toMatch(/\d/);
  });

  test('returns the facts, which `engine.facts` then has too', async () => {
    const engine = newEngine();
    expect(engine.facts).toBeNull();
    const loading = engine.load({ path: STARTER_MODEL });
    expect(engine.facts).toBeNull();
    const facts = await loading;
    expect(engine.facts).toEqual(facts);
  });

  test('reports progress from 0 to exactly 1 that never falls, before it resolves', async () => {
    const fractions: number[] = [];
    await newEngine().load({ path: STARTER_MODEL, onProgress: (fraction) => fractions.push(fraction) });
    const atEnd = fractions.length;
    expect(fractions).toEqual([...fractions].sort((left, right) => left - right));
    expect(fractions[0]).toBeGreaterThanOrEqual(0);
    expect(fractions.at(-1)).toBe(1);
    expect(fractions.filter((fraction) => fraction < 1).length).toBeLessThanOrEqual(100);
    await delay(20);
    expect(fractions).toHaveLength(atEnd);
  });

  test('cancelled at once rejects with loadCancelled, and the engine can load again', async () => {
    const engine = newEngine();
    const loading = engine.load({ path: STARTER_MODEL });
    engine.cancelLoad();
    await expect(loading).rejects.toMatchObject({ code: 'loadCancelled' });
    expect(engine.facts).toBeNull();
    await expect(engine.load({ path: STARTER_MODEL })).resolves.toMatchObject({ architecture: 'qwen35' });
  });

  test('cancelled from its progress rejects with loadCancelled', async () => {
    const engine = newEngine();
    let calls = 0;
    const loading = engine.load({
      path: STARTER_MODEL,
      onProgress: () => {
        calls += 1;
        engine.cancelLoad();
      },
    });
    // The load may finish first; it is then complete.
    const outcome = await loading.then(
      () => 'loaded',
      (error: { code: string }) => error.code,
    );
    expect(calls).toBeGreaterThan(0);
    expect(engine.facts === null).toBe(outcome === 'loadCancelled');
  });

  test('cancelLoad is a no-op without a load', async () => {
    const engine = newEngine();
    engine.cancelLoad();
    await engine.load({ path: STARTER_MODEL });
    engine.cancelLoad();
    await expect(engine.generate({ prompt: ['x'], maxTokens: 1 }).result).resolves.toBeDefined();
  });

  test('works after a failed load', async () => {
    const engine = newEngine();
    await expect(engine.load({ path: '/nowhere/model.gguf' })).rejects.toMatchObject({ code: 'fileNotFound' });
    expect(engine.facts).toBeNull();
    await expect(engine.generate({ prompt: ['x'], maxTokens: 1 }).result).rejects.toMatchObject({ code: 'notLoaded' });
    await expect(engine.load({ path: STARTER_MODEL })).resolves.toMatchObject({ architecture: 'qwen35' });
  });

  test('while another load runs rejects with alreadyLoaded and does not affect that one', async () => {
    const engine = newEngine();
    const first = engine.load({ path: STARTER_MODEL });
    await expect(engine.load({ path: STARTER_MODEL })).rejects.toMatchObject({ code: 'alreadyLoaded' });
    await expect(first).resolves.toMatchObject({ architecture: 'qwen35' });
  });

  test('on a loaded engine rejects with alreadyLoaded, whatever the file, and keeps the model', async () => {
    const engine = newEngine();
    const facts = await engine.load({ path: STARTER_MODEL });
    for (const path of [STARTER_MODEL, '/nowhere/model.gguf']) {
      await expect(engine.load({ path })).rejects.toMatchObject({ code: 'alreadyLoaded' });
    }
    expect(engine.facts).toEqual(facts);
    await expect(engine.generate({ prompt: ['x'], maxTokens: 1 }).result).resolves.toBeDefined();
  });

  test('whose onProgress throws rejects with the same error, and the engine can load again', async () => {
    const engine = newEngine();
    const error = new RangeError('from onProgress');
    const onProgress = (): void => {
      throw error;
    };
    await expect(engine.load({ path: STARTER_MODEL, onProgress })).rejects.toBe(error);
    await expect(engine.load({ path: STARTER_MODEL })).resolves.toMatchObject({ architecture: 'qwen35' });
  });

  test("passes llama.cpp's log to onLog, and survives a listener that throws", async () => {
    const lines: { readonly level: number; readonly text: string }[] = [];
    const engine = new addon.Engine({
      onLog: (level, text) => {
        lines.push({ level, text });
        throw new Error('from onLog');
      },
    });
    engines.push(engine);
    await engine.load({ path: STARTER_MODEL });
    expect(lines.length).toBeGreaterThan(10);
    expect(lines.every(({ level }) => [1, 2, 3, 4].includes(level))).toBe(true);
    expect(lines.map(({ text }) => text).join('')).toContain('qwen35');
    await engine.close();
    const atClose = lines.length;
    await newEngine().load({ path: STARTER_MODEL });
    expect(lines).toHaveLength(atClose);
  });
});

test('calls that need a model reject with notLoaded before there is one', async () => {
  const engine = new (openAddon().Engine)();
  await expect(engine.tokenize('x')).rejects.toMatchObject({ code: 'notLoaded' });
  await expect(engine.detokenize([1])).rejects.toMatchObject({ code: 'notLoaded' });
  await expect(engine.generate({ prompt: ['x'], maxTokens: 1 }).result).rejects.toMatchObject({ code: 'notLoaded' });
  expect(engine.facts).toBeNull();
  expect(engine.memory()).toMatchObject({ weightsBytes: 0, contextBytes: 0, computeBytes: 0, outputBytes: 0 });

  const loading = engine.load({ path: STARTER_MODEL });
  await expect(engine.tokenize('x')).rejects.toMatchObject({ code: 'notLoaded' });
  await expect(engine.generate({ prompt: ['x'], maxTokens: 1 }).result).rejects.toMatchObject({ code: 'notLoaded' });
  await loading;
  await engine.close();
});
