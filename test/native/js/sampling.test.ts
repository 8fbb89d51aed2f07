import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { NativeEngine } from '../../../server/src/engine/addon/addon-types.js';
import type { Sampling } from '../../../server/src/engine/port/generation.js';
import { openAddon, STARTER_MODEL } from '../../support/addon.js';

let engine: NativeEngine;

beforeAll(async () => {
  engine = new (openAddon().Engine)();
  await engine.load({ path: STARTER_MODEL, contextLength: 512, threads: 1 });
});
afterAll(() => engine.close());

const PROMPT = '// Numbers.\nfunction double(n: number): number {\n';

async function sample(sampling?: Sampling, maxTokens = 32): Promise<readonly number[]> {
  const request = { prompt: [PROMPT], maxTokens, ...(sampling && { sampling }) };
  return (await engine.generate(request).result).tokens;
}

describe('sampling', () => {
  test('is greedy by default and at temperature 0, whatever the other options are', async () => {
    const greedy = await sample();
    expect(await sample({})).toEqual(greedy);
    expect(await sample({ temperature: 0 })).toEqual(greedy);
    expect(await sample({ temperature: 0, topK: 3, topP: 0.5, seed: 7 })).toEqual(greedy);
  });

  test('with a seed gives the same tokens each time', async () => {
    const sampling = { temperature: 1, topK: 40, topP: 0.95, seed: 42 };
    expect(await sample(sampling)).toEqual(await sample(sampling));
  });

  test('with other seeds gives other tokens', async () => {
    const answers = new Set<string>();
    for (const seed of [0, 1, 2, 2 ** 32 - 1]) answers.add(String(await sample({ temperature: 1.2, seed })));
    expect(answers.size).toBeGreaterThan(2);
  });

  test('is greedy if only one candidate is left', async () => {
    const greedy = await sample();
    expect(await sample({ temperature: 1.5, topK: 1, seed: 3 })).toEqual(greedy);
    expect(await sample({ temperature: 1.5, topP: 0, seed: 3 })).toEqual(greedy);
  });

  test('of high temperature differs from greedy', async () => {
    expect(await sample({ temperature: 5, seed: 1 })).not.toEqual(await sample());
  });

  test('of one generation does not affect the next', async () => {
    const greedy = await sample();
    await sample({ temperature: 1.5, seed: 9 });
    expect(await sample()).toEqual(greedy);
  });
});
