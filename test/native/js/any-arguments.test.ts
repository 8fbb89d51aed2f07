import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import type { NativeAddon, NativeEngine } from '../../../server/src/engine/addon/addon-types.js';
import { openAddon, STARTER_MODEL } from '../../support/addon.js';
import { damaged } from '../../support/faults/hostile-json.js';
import { property } from '../../support/faults/property.js';

/** Lets the tests pass arguments that TypeScript would refuse. */
type Untyped = Record<'load' | 'tokenize' | 'detokenize' | 'generate' | 'release', (...values: unknown[]) => unknown>;

let addon: NativeAddon;
let engine: NativeEngine;
let untyped: Untyped;

beforeAll(async () => {
  addon = openAddon();
  engine = new addon.Engine();
  untyped = engine as unknown as Untyped;
  await engine.load({ path: STARTER_MODEL, contextLength: 512, threads: 1 });
});
afterAll(() => engine.close());

const REQUEST = {
  prompt: ['const a = ', 5, 'b'],
  maxTokens: 1,
  timeBudgetMs: 2_000,
  stop: ['\n'],
  stopTokens: [1],
  spelledTokens: [2],
  sectionBoundaries: [1],
  heal: true,
  draft: 'c',
  begin: [7],
  runnersUp: true,
  speculation: 'auto',
  slot: 'completion',
  priority: 'background',
  whenContextFull: 'stop',
  draftSources: ['lookup'],
  sampling: { temperature: 0.5, topK: 4, topP: 0.9, seed: 1 },
};
const LOAD = {
  path: '/nowhere/model.gguf',
  device: 'Vulkan0',
  gpuLayers: 0,
  requireFim: true,
  contextLength: 128,
  threads: 1,
  batchSize: 64,
  kvType: 'f16',
};

/** Values that JSON lacks. */
const strange: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(undefined, Number.NaN, Number.POSITIVE_INFINITY, -0, 5n, Symbol('s'), () => 1, new Date(0)),
  fc.constantFrom<unknown>(new Int32Array([1, 2]), new Float64Array([1]), new Uint8Array(3), new Proxy([], {}), /a/),
  fc.constantFrom<unknown>(Object.create(null), new Array(3), new Map(), Buffer.from('text'), Promise.resolve()),
  fc.string({ unit: 'binary' }),
  fc.array(fc.oneof(fc.integer(), fc.string(), fc.double())),
  fc.int32Array(),
);

/** These options with some of them damaged, or replaced by values that only JavaScript has. */
function options(good: object): fc.Arbitrary<unknown> {
  const names = Object.keys(good);
  return fc
    .tuple(damaged(good as never, 2), fc.option(fc.tuple(fc.constantFrom(...names), strange)), fc.boolean())
    .map(([base, replaced, isWhole]) => {
      if (isWhole && replaced !== null) return replaced[1];
      return replaced === null || typeof base !== 'object' || base === null
        ? base
        : { ...base, [replaced[0]]: replaced[1] };
    });
}

/** A refusal names the argument, or says what the engine cannot do. */
async function settled(call: () => unknown): Promise<void> {
  try {
    await call();
  } catch (error) {
    expect(error).toBeInstanceOf(Error);
    const { code, message } = error as Error & { code?: unknown };
    expect(code, String(error)).toEqual(expect.any(String));
    expect(code, String(error)).not.toBe('internal');
    if (code === 'invalidArgument') expect(error).toBeInstanceOf(TypeError);
    expect(message.length).toBeLessThan(1_000);
  }
}

describe('whatever arguments the addon gets', () => {
  property(
    'generate answers, or refuses with a code',
    options(REQUEST),
    (request) =>
      settled(async () => {
        const { result, abort } = untyped.generate(request, () => undefined) as {
          result: Promise<unknown>;
          abort(): void;
        };
        // A damaged request may ask for an endless answer.
        const timer = setTimeout(abort, 200);
        await result.finally(() => clearTimeout(timer));
      }),
    { runs: 200 },
  );

  property(
    'load and estimateMemory refuse with a code',
    options(LOAD),
    async (value) => {
      const other = new addon.Engine();
      await settled(() => (other as unknown as Untyped).load(value));
      await other.close();
      await settled(() => addon.estimateMemory(value as never));
    },
    { runs: 200 },
  );

  property(
    'tokenize and detokenize give back what they were given',
    fc.oneof(fc.string({ unit: 'binary', maxLength: 300 }), fc.string({ unit: 'grapheme', maxLength: 300 })),
    async (text) => {
      const tokens = await engine.tokenize(text);
      expect(await engine.detokenize(tokens)).toBe(text.toWellFormed());
    },
    { runs: 200 },
  );

  property(
    'tokenize, detokenize and release answer, or refuse with a code',
    fc.tuple(strange, options({ parseSpecial: true, special: true })),
    async ([value, second]) => {
      for (const name of ['tokenize', 'detokenize', 'release'] as const)
        await settled(() => untyped[name](value, second));
    },
    { runs: 200 },
  );
});
