import { expect, it } from 'vitest';
import { PromptLengths } from '../../../../../server/src/engine/measured/prompt-lengths.js';
import type { ModelFacts } from '../../../../../server/src/engine/port/model-facts.js';
import { FACTS } from '../../scripted-engine.js';

const LONG = { ...FACTS, contextLength: 16_384 };

function lengths(speed: { tokensPerSecond: number | null }): PromptLengths {
  return new PromptLengths({ of: () => speed.tokensPerSecond });
}

it('prompts are as long as the machine is fast, and change only where it clearly changes', () => {
  const speed = { tokensPerSecond: 1_300 };
  const prompts = lengths(speed);
  const seen = [1_300, 1_600, 1_400, 2_600, 2_300, 1_000].map((tokensPerSecond) => {
    speed.tokensPerSecond = tokensPerSecond;
    return prompts.of(LONG);
  });
  expect(seen).toEqual([1_024, 1_024, 1_024, 1_536, 1_536, 768]);
});

it('what one model had says nothing of the next, nor of the same one loaded again on another device', () => {
  const speed = { tokensPerSecond: 20_000 as number | null };
  const prompts = lengths(speed);
  expect(prompts.of({ ...LONG, backend: 'CUDA' })).toBe(12_288);
  speed.tokensPerSecond = null;
  expect(prompts.of({ ...LONG, fileBytes: 1e9 })).toBe(768);
});

it('a speed that is not known any more leaves a length as it is', () => {
  const speed = { tokensPerSecond: 4_000 as number | null };
  const prompts = lengths(speed);
  expect(prompts.of(LONG)).toBe(3_072);
  speed.tokensPerSecond = null;
  expect(prompts.of(LONG)).toBe(3_072);
});

it('prompts fit the context, and the texts of the training', () => {
  const fast = lengths({ tokensPerSecond: 50_000 });
  expect(fast.of({ ...LONG, contextLength: 2_048 })).toBe(2_048);
  expect(fast.of({ ...LONG, trainingContextLength: 4_096 })).toBe(4_096);
});

it('a remote server has prompts of the usual length until it was measured', () => {
  const remote = { ...LONG, kind: 'remote', host: 'gpu-box', server: 'openai' } as unknown as ModelFacts;
  expect(lengths({ tokensPerSecond: null }).of(remote)).toBe(1_536);
  expect(lengths({ tokensPerSecond: 30_000 }).of(remote)).toBe(16_384);
});
