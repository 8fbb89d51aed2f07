import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { NativeEngine } from '../../../server/src/engine/addon/addon-types.js';
import { openAddon, STARTER_MODEL } from '../../support/addon.js';
import { attentionModel } from '../../support/models/attention-model.js';

let engine: NativeEngine;

beforeAll(async () => {
  engine = new (openAddon().Engine)();
  await engine.load({ path: await attentionModel(), contextLength: 128, threads: 1 });
});
afterAll(() => engine.close());

describe('whenContextFull', () => {
  const request = {
    prompt: ['const numbers = [1, 2, 3, 4];'],
    maxTokens: 200,
    sampling: { temperature: 1.5, seed: 3 },
  };

  test('is to stop by default', async () => {
    const { stopReason, metrics } = await engine.generate(request).result;
    expect(stopReason).toBe('contextFull');
    expect(metrics.shiftedTokens).toBe(0);
  });

  test('shifts the context if the request says so', async () => {
    expect(engine.facts?.canShiftContext).toBe(true);
    const { stopReason, metrics } = await engine.generate({ ...request, whenContextFull: 'shift' }).result;
    expect(stopReason).not.toBe('contextFull');
    expect(metrics.shiftedTokens).toBeGreaterThan(0);
  });

  test('refuses other values', () => {
    expect(() => engine.generate({ ...request, whenContextFull: 'grow' as never })).toThrow(
      expect.objectContaining({ code: 'invalidArgument', message: expect.stringContaining('request.whenContextFull') }),
    );
  });
});

describe('inspectKeys', () => {
  test('gives a vector for each layer, head and token', async () => {
    const text = 'return left + right;';
    const tokens = await engine.tokenize(text);
    const keys = await engine.inspectKeys([text]);
    expect(keys.tokens).toBe(tokens.length);
    expect(keys.layers).toEqual(Array.from({ length: engine.facts!.layerCount }, (_, layer) => layer));
    expect(keys.values).toHaveLength(keys.layers.length * keys.heads * keys.tokens * keys.headDim);
    expect(keys.values.every(Number.isFinite)).toBe(true);
    expect(await engine.inspectKeys([...tokens])).toEqual(keys);
  });

  test('of a hybrid model are those of its attention layers', async () => {
    const hybrid = new (openAddon().Engine)();
    await hybrid.load({ path: STARTER_MODEL, contextLength: 512, threads: 1 });
    expect(hybrid.facts).toMatchObject({ recurrent: true, canShiftContext: false });
    const { layers } = await hybrid.inspectKeys(['let a = 1;']);
    expect(layers).toEqual([3, 7, 11]);
    await hybrid.close();
  });

  test('refuses an invalid prompt, and ends with the engine', async () => {
    expect(() => engine.inspectKeys('text' as never)).toThrow(
      expect.objectContaining({ code: 'invalidArgument', message: expect.stringContaining('prompt') }),
    );
    await expect(engine.inspectKeys([])).rejects.toMatchObject({ code: 'invalidArgument' });
    const closed = new (openAddon().Engine)();
    await expect(closed.inspectKeys(['a'])).rejects.toMatchObject({ code: 'notLoaded' });
    await closed.close();
    await expect(closed.inspectKeys(['a'])).rejects.toMatchObject({ code: 'closed' });
  });
});
