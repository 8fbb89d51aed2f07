import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { NativeEngine, NativeGenerationResult } from '../../server/src/engine/addon/addon-types.js';
import type { PromptPart } from '../../server/src/engine/port/generation.js';
import { openAddon } from '../support/addon.js';
import { BALLAST_QUANTIZATIONS, ballastModel, STARTER_FEED_FORWARD_LENGTH } from '../support/models/ballast.js';
import { REPOSITORY_ROOT } from '../support/source-tree.js';

const SOURCE = readFileSync(path.join(REPOSITORY_ROOT, 'test/fixtures/bench/shift-planner.ts'), 'utf8');
/** Much smaller than the model of the benchmarks, and made in the same way. */
const PADDED_LENGTH = 4096;

async function withModel<T>(file: string, use: (engine: NativeEngine) => Promise<T>): Promise<T> {
  const engine = new (openAddon().Engine)();
  try {
    await engine.load({ path: file, contextLength: 2048, threads: 2 });
    return await use(engine);
  } finally {
    await engine.close();
  }
}

/** Answers to prompts whose prefill takes whole batches and single rows, with and without drafts. */
async function answers(engine: NativeEngine): Promise<NativeGenerationResult[]> {
  const fim = engine.facts?.fim;
  if (!fim) throw new Error('the starter model has FIM tokens');
  const results: NativeGenerationResult[] = [];
  for (const offset of [300, 1200, 2900, 4600]) {
    const [prefix, suffix] = [SOURCE.slice(0, offset), SOURCE.slice(offset + 80, offset + 400)];
    const prompt: PromptPart[] = [fim.prefix, prefix, fim.suffix, suffix, fim.middle];
    for (const speculation of ['off', 'auto'] as const) {
      results.push(await engine.generate({ prompt, sectionBoundaries: [0, 2, 4], maxTokens: 40, speculation }).result);
    }
  }
  return results;
}

describe.each(BALLAST_QUANTIZATIONS)('a model padded by zeros, in %s', (quantization) => {
  it('gives the answers of the unpadded model, to the last bit', async () => {
    const reference = await ballastModel(quantization, STARTER_FEED_FORWARD_LENGTH);
    const padded = await ballastModel(quantization, PADDED_LENGTH);
    const [small, smallSize] = await withModel(reference, async (engine) => [await answers(engine), engine.facts]);
    const [large, largeSize] = await withModel(padded, async (engine) => [await answers(engine), engine.facts]);
    const added = 13 * 3 * 512 * (PADDED_LENGTH - STARTER_FEED_FORWARD_LENGTH);
    expect(largeSize!.parameterCount - smallSize!.parameterCount).toBe(added);
    for (const [index, { tokens, logProbabilities }] of large.entries()) {
      expect(tokens).toEqual(small[index]?.tokens);
      expect(logProbabilities).toEqual(small[index]?.logProbabilities);
    }
  });
});
