import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { NativeEngine, NativeLoadOptions } from '../../../server/src/engine/addon/addon-types.js';
import { openAddon, STARTER_MODEL } from '../../support/addon.js';

/** Files with hardly anything in common. */
const A = lines((n) => `export function readA${n * 7}(path: string): number {\n  return a${n * 7};\n}\n`);
const B = lines((n) => `def write_b${n * 7}(self, value):\n    self.b${n * 7} = value\n`);
const C = lines((n) => `const c${n * 7} = new Map<string, C${n}>([['c${n}', c${n * 3}]]);\n`);

function lines(line: (number: number) => string): string {
  return Array.from({ length: 12 }, (_, number) => line(number)).join('');
}

let engine: NativeEngine;

beforeEach(() => {
  engine = new (openAddon().Engine)();
});
afterEach(() => engine.close());

async function load(options: Partial<NativeLoadOptions> = {}): Promise<void> {
  await engine.load({ path: STARTER_MODEL, contextLength: 2048, threads: 1, ...options });
}

async function say(text: string) {
  const { fim } = engine.facts ?? {};
  if (!fim) throw new Error('The model has no FIM tokens');
  const prompt = [fim.prefix, text, fim.suffix, '\n', fim.middle];
  return await engine.generate({ prompt, sectionBoundaries: [2, 4], maxTokens: 8 }).result;
}

describe('swapping out', () => {
  test('a text that the user returns to is not evaluated again', async () => {
    await load();
    const first = await say(A);
    expect(engine.memory().swappedBytes).toBe(0);
    await say(B);
    expect(engine.memory().swappedBytes).toBeGreaterThan(1e6);

    const back = await say(A);
    expect(back.metrics).toMatchObject({ evaluatedTokens: 0, reusedTokens: first.metrics.promptTokens });
    expect(back.tokens).toEqual(first.tokens);
    expect(back.logProbabilities).toEqual(first.logProbabilities);
  });

  test('is undone by release, and the text is evaluated again', async () => {
    await load();
    const first = await say(A);
    await say(B);
    const { completion } = engine.memory();
    await engine.release('swapped');
    expect(engine.memory()).toMatchObject({ swappedBytes: 0, completion: { kvBytes: completion.kvBytes } });

    const back = await say(A);
    expect(back.metrics.evaluatedTokens).toBeGreaterThan(64);
    expect(back.tokens).toEqual(first.tokens);
  });

  test('keeps nothing with a budget of 0', async () => {
    await load({ swapBudgetBytes: 0 });
    await say(A);
    await say(B);
    expect(engine.memory().swappedBytes).toBe(0);
    expect((await say(A)).metrics.evaluatedTokens).toBeGreaterThan(64);
    expect(engine.memory().swappedBytes).toBe(0);
  });

  test('keeps to its budget', async () => {
    const budget = 8 * 2 ** 20;
    await load({ swapBudgetBytes: budget });
    const held: number[] = [];
    for (const text of [A, B, C, A, C, B]) {
      await say(text);
      held.push(engine.memory().swappedBytes);
    }
    expect(Math.max(...held)).toBeGreaterThan(0);
    expect(Math.max(...held)).toBeLessThanOrEqual(budget);
  });
});

test('each slot has the context length that was requested', async () => {
  await load({ contextLength: 512, chatContextLength: 1024 });
  expect(engine.facts).toMatchObject({ contextLength: 512, chatContextLength: 1024 });
  await engine.generate({ prompt: [A], maxTokens: 1, slot: 'chat' }).result;
  const { completion, chat } = engine.memory();
  expect(chat.kvBytes).toBeGreaterThan(completion.kvBytes);
});
