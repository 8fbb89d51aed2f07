import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ContextGrowth } from '../../../../../server/src/models/planning/context-growth.js';
import { PromptRoom } from '../../../../../server/src/models/planning/prompt-room.js';
import { FACTS } from '../../scripted-engine.js';

let folder: string;
let model: string;
let speed: number | null;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'inkling-room-'));
  model = join(folder, 'model.gguf');
  writeFileSync(model, '');
  speed = null;
});

afterEach(() => rmSync(folder, { recursive: true }));

const room = (unifiedMemory = false) => new PromptRoom({ speeds: { ofFile: () => speed }, unifiedMemory, threads: 2 });

describe('the room for prompts', () => {
  it.each([
    ['a large model on the processor', 1e9, false, 1_536],
    ['a small model on a GPU that shares the memory', 5e7, true, 8_192],
    ['a large one there', 4e9, true, 1_536],
  ])('is a guess for %s', (_, bytes, unifiedMemory, tokens) => {
    truncateSync(model, bytes);
    expect(room(unifiedMemory).of(model)).toBe(tokens);
  });

  it('is a guess from all parts of a split model, of which the first may hold no weights', () => {
    const parts = [1, 2].map((part) => join(folder, `split-0000${part}-of-00002.gguf`));
    for (const [index, part] of parts.entries()) {
      writeFileSync(part, '');
      truncateSync(part, index === 0 ? 1e6 : 4e9);
    }
    for (const part of parts) expect(room(true).of(part)).toBe(1_536);
  });

  it('is the usual one for a file that is not there', () => {
    expect(room().of(join(folder, 'none.gguf'))).toBe(1_536);
    expect(room().of(join(model, 'inside-a-file.gguf'))).toBe(1_536);
  });

  it('follows the speed that was measured last, with some to spare', () => {
    for (const [tokensPerSecond, tokens] of [
      [300, 1_536],
      [2_500, 2_560],
      [20_000, 16_384],
    ] as const) {
      speed = tokensPerSecond;
      expect(room().of(model)).toBe(tokens);
    }
  });

  it('stays as it is until a rest, then only grows', () => {
    const decided = room();
    speed = 2_500;
    expect(decided.of(model)).toBe(2_560);
    speed = 20_000;
    expect(decided.of(model)).toBe(2_560);
    expect(decided.grow(model)).toBe(true);
    expect(decided.of(model)).toBe(16_384);
    expect(decided.grow(model)).toBe(false);
    speed = 100;
    expect(decided.grow(model)).toBe(false);
    expect(decided.of(model)).toBe(16_384);
  });
});

describe('a model is loaded with more room', () => {
  const look = (client: object, grows: boolean): number => {
    let loads = 0;
    const options = { host: { client }, room: { grow: () => grows }, loadAgain: () => loads++ };
    const growth = new ContextGrowth(options as unknown as ConstructorParameters<typeof ContextGrowth>[0]);
    growth.look();
    growth.dispose();
    return loads;
  };

  it.each([
    ['at rest', { facts: FACTS, idleMs: 150_000 }, true, 1],
    ['not while somebody may type', { facts: FACTS, idleMs: 60_000 }, true, 0],
    ['not while it is at work', { facts: FACTS, idleMs: 0 }, true, 0],
    ['not if it has enough', { facts: FACTS, idleMs: 150_000 }, false, 0],
    ['not while none is loaded', { facts: null, idleMs: 150_000 }, true, 0],
    ['not on another machine', { facts: { ...FACTS, kind: 'remote' }, idleMs: 150_000 }, true, 0],
  ])('%s', (_, client, grows, loads) => {
    expect(look(client, grows)).toBe(loads);
  });
});
