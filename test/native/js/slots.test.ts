import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { NativeEngine, NativeGenerateRequest } from '../../../server/src/engine/addon/addon-types.js';
import { openAddon, STARTER_MODEL } from '../../support/addon.js';

const ENDLESS = '// Numbers.\nfunction double(n: number): number {\n';

let engine: NativeEngine;

beforeAll(async () => {
  engine = new (openAddon().Engine)();
  await engine.load({ path: STARTER_MODEL, contextLength: 512, chatContextLength: 256, threads: 1 });
});
afterAll(() => engine.close());

async function generate(request: Partial<NativeGenerateRequest> = {}) {
  return await engine.generate({ prompt: [ENDLESS], maxTokens: 8, ...request }).result;
}

describe('slots', () => {
  test('have contexts of their own and give the same answer', async () => {
    expect(engine.facts).toMatchObject({ contextLength: 512, chatContextLength: 256 });
    expect(engine.memory().chat.kvBytes).toBe(0);
    const completion = await generate();
    const chat = await generate({ slot: 'chat' });
    expect(chat.tokens).toEqual(completion.tokens);
    const memory = engine.memory();
    expect(memory.chat.kvBytes).toBeGreaterThan(0);
    expect(memory.chat.kvBytes).toBeLessThan(memory.completion.kvBytes);
    for (const part of [
      'kvBytes',
      'recurrentBytes',
      'checkpointBytes',
      'swappedBytes',
      'computeBytes',
      'outputBytes',
    ] as const) {
      expect(memory.completion[part] + memory.chat[part], part).toBe(memory[part]);
    }
    // Neither slot has evicted the state of the other.
    expect((await generate()).metrics.evaluatedTokens).toBe(0);
    expect((await generate({ slot: 'chat' })).metrics.evaluatedTokens).toBe(0);
  });

  test('a more urgent request is answered while a long one runs, whose answer does not change', async () => {
    const long = { prompt: [ENDLESS], maxTokens: 150, slot: 'chat' } as const;
    const undisturbed = await generate(long);
    await engine.release('chat');
    const ends: string[] = [];
    let urgent: Promise<unknown> | undefined;
    const slow = engine.generate(long, () => {
      urgent ??= generate({ prompt: ['const x = '] }).then(() => ends.push('completion'));
    });
    const result = await slow.result.then((value) => {
      ends.push('chat');
      return value;
    });
    await urgent;
    expect(ends).toEqual(['completion', 'chat']);
    expect(result.tokens).toEqual(undisturbed.tokens);
    expect(result.metrics.preemptions).toBeGreaterThan(0);
  });

  test('a prompt evaluated in the background is reused', async () => {
    const prompt = ['export const primes = [2, 3, 5, 7, 11, 13, 17, '];
    const warm = await generate({ prompt, maxTokens: 0, priority: 'background' });
    expect(warm).toMatchObject({ text: '', tokens: [], stopReason: 'maxTokens' });
    const { metrics } = await generate({ prompt });
    expect(metrics.reusedTokens).toBe(metrics.promptTokens);
  });
});

describe('release', () => {
  test('frees a slot, which the next request creates again', async () => {
    const before = await generate({ slot: 'chat' });
    await engine.release('checkpoints');
    expect(engine.memory().checkpointBytes).toBe(0);
    for (const slot of ['chat', 'completion'] as const) {
      await engine.release(slot);
      expect(engine.memory()[slot].kvBytes).toBe(0);
    }
    expect((await generate({ slot: 'chat' })).text).toBe(before.text);
    expect((await generate()).text).toBe(before.text);
  });

  test('waits for the generation in the slot', async () => {
    const ends: string[] = [];
    const running = generate({ slot: 'chat', maxTokens: 100 }).then(() => ends.push('generation'));
    await engine.release('chat').then(() => ends.push('release'));
    await running;
    // A request that had not begun cannot be waited for.
    expect(ends).toHaveLength(2);
  });

  test.each(['weights', '', 5, null, undefined, {}])('refuses %j', (what) => {
    const release = (engine as unknown as { release(value: unknown): unknown }).release.bind(engine);
    expect(() => release(what)).toThrow(expect.objectContaining({ code: 'invalidArgument', name: 'TypeError' }));
  });

  test('fails without a model and after close', async () => {
    const other = new (openAddon().Engine)();
    await expect(other.release('chat')).rejects.toMatchObject({ code: 'notLoaded' });
    await other.close();
    await expect(other.release('chat')).rejects.toMatchObject({ code: 'closed' });
  });
});
