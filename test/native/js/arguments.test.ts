import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { NativeAddon, NativeEngine } from '../../../server/src/engine/addon/addon-types.js';
import { openAddon, STARTER_MODEL } from '../../support/addon.js';

/** Lets the tests pass arguments that TypeScript would refuse. */
type Untyped = Record<'load' | 'tokenize' | 'detokenize' | 'generate', (...values: unknown[]) => unknown>;

let addon: NativeAddon;
let engine: NativeEngine;

beforeAll(async () => {
  addon = openAddon();
  engine = new addon.Engine();
  await engine.load({ path: STARTER_MODEL });
});
afterAll(() => engine.close());

const notObjects: readonly unknown[] = [null, 5, 'text', true, [], () => undefined, Symbol('s'), 5n];
const notStrings: readonly unknown[] = [undefined, null, 5, true, {}, ['text'], Symbol('s')];
const notBooleans: readonly unknown[] = [null, 0, 1, 'true', {}];
const notFunctions: readonly unknown[] = [null, 5, 'text', {}, []];
const notNumbers: readonly unknown[] = [null, '5', true, {}, [5], 5n, Number.NaN];
const notIntegers: readonly unknown[] = [...notNumbers, 1.5, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
const notTokens: readonly unknown[] = [...notIntegers, -1, 2 ** 31];

/** The argument's name in the message, and the values that must be refused. */
type Table = readonly (readonly [name: string, values: readonly unknown[], argument: (value: unknown) => unknown])[];

function describeValue(value: unknown): string {
  return typeof value === 'bigint' || typeof value === 'symbol' || typeof value === 'function'
    ? String(value)
    : (JSON.stringify(value) ?? 'undefined');
}

function eachOf(table: Table) {
  return table.flatMap(([name, values, argument]) =>
    values.map((value) => ({ name, shown: describeValue(value), argument: argument(value) })),
  );
}

function expectInvalidArgument(call: () => unknown, name: string): void {
  let thrown: unknown;
  try {
    call();
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(TypeError);
  expect(thrown).toMatchObject({ code: 'invalidArgument' });
  expect((thrown as Error).message.startsWith(`${name} must be `), (thrown as Error).message).toBe(true);
}

describe('new Engine', () => {
  const table: Table = [
    ['options', notObjects, (value) => value],
    ['options.onLog', notFunctions, (value) => ({ onLog: value })],
  ];
  test.each(eachOf(table))('refuses $name = $shown', ({ name, argument }) => {
    const Engine = addon.Engine as unknown as new (options: unknown) => NativeEngine;
    expectInvalidArgument(() => new Engine(argument), name);
  });

  test('needs `new`', () => {
    const call = addon.Engine as unknown as () => unknown;
    expect(() => call()).toThrow(TypeError);
  });
});

describe('load', () => {
  const budgets = [...notIntegers, -2, 2 ** 41];
  const table: Table = [
    ['options', [undefined, ...notObjects], (value) => value],
    ['options.path', [...notStrings, '', 'a\0b', 'p'.repeat(2 ** 15 + 1)], (value) => ({ path: value })],
    ['options.contextLength', [...notIntegers, -1, 2 ** 24 + 1], (value) => ({ path: 'x', contextLength: value })],
    [
      'options.chatContextLength',
      [...notIntegers, -1, 2 ** 24 + 1],
      (value) => ({ path: 'x', chatContextLength: value }),
    ],
    ['options.checkpointBudgetBytes', budgets, (value) => ({ path: 'x', checkpointBudgetBytes: value })],
    ['options.swapBudgetBytes', budgets, (value) => ({ path: 'x', swapBudgetBytes: value })],
    ['options.mtp', notBooleans, (value) => ({ path: 'x', mtp: value })],
    ['options.kvType', [...notStrings.slice(1), '', 'F16', 'q4_0'], (value) => ({ path: 'x', kvType: value })],
    ['options.threads', [...notIntegers, -1, 513], (value) => ({ path: 'x', threads: value })],
    ['options.batchSize', [...notIntegers, -1, 4097], (value) => ({ path: 'x', batchSize: value })],
    ['options.device', [...notStrings.slice(1), 'V'.repeat(101)], (value) => ({ path: 'x', device: value })],
    ['options.gpuLayers', [...notIntegers, -2, 2 ** 31], (value) => ({ path: 'x', gpuLayers: value })],
    ['options.requireFim', notBooleans, (value) => ({ path: 'x', requireFim: value })],
    ['options.onProgress', notFunctions, (value) => ({ path: 'x', onProgress: value })],
  ];
  test.each(eachOf(table))('refuses $name = $shown', ({ name, argument }) => {
    const other = new addon.Engine() as unknown as Untyped;
    expectInvalidArgument(() => other.load(argument), name);
  });
});

describe('tokenize', () => {
  const table: Table = [
    ['text', notStrings, (value) => [value]],
    ['options', notObjects, (value) => ['text', value]],
    ['options.parseSpecial', notBooleans, (value) => ['text', { parseSpecial: value }]],
  ];
  test.each(eachOf(table))('refuses $name = $shown', ({ name, argument }) => {
    expectInvalidArgument(() => (engine as unknown as Untyped).tokenize(...(argument as unknown[])), name);
  });
});

describe('detokenize', () => {
  const notTokenLists = [undefined, null, 5, 'text', {}, new Float32Array(1), new Uint8Array(1), new ArrayBuffer(4)];
  const table: Table = [
    ['tokens', notTokenLists, (value) => [value]],
    ['tokens[1]', notTokens, (value) => [[0, value]]],
    ['options', notObjects, (value) => [[0], value]],
    ['options.special', notBooleans, (value) => [[0], { special: value }]],
  ];
  test.each(eachOf(table))('refuses $name = $shown', ({ name, argument }) => {
    expectInvalidArgument(() => (engine as unknown as Untyped).detokenize(...(argument as unknown[])), name);
  });

  test.each([16384, 2 ** 31 - 1])('refuses %i, which is not a token of this model', (token) => {
    for (const tokens of [[token], new Int32Array([token])]) {
      expect(() => engine.detokenize(tokens)).toThrow(
        expect.objectContaining({ code: 'invalidArgument', message: expect.stringContaining(String(token)) }),
      );
    }
  });

  test('refuses a negative id in an Int32Array', () => {
    expect(() => engine.detokenize(new Int32Array([0, -1]))).toThrow(
      expect.objectContaining({ code: 'invalidArgument', message: expect.stringContaining('-1') }),
    );
  });
});

describe('generate', () => {
  const valid = { prompt: ['x'], maxTokens: 1 };
  const sampling = (field: string) => (value: unknown) => ({ ...valid, sampling: { [field]: value } });
  const table: Table = [
    ['request', [undefined, ...notObjects], (value) => value],
    ['request.prompt', [undefined, null, 5, 'text', {}], (value) => ({ ...valid, prompt: value })],
    [
      'request.prompt[1]',
      [...notTokens.filter((value) => typeof value !== 'string'), ['nested']],
      (value) => ({ ...valid, prompt: ['x', value] }),
    ],
    ['request.maxTokens', [undefined, ...notIntegers, -1, 2 ** 31], (value) => ({ ...valid, maxTokens: value })],
    ['request.slot', ['', 'Chat', 5, null, {}], (value) => ({ ...valid, slot: value })],
    ['request.priority', ['', 'control', 5, null, {}], (value) => ({ ...valid, priority: value })],
    ['request.stop', [null, 5, 'text', {}], (value) => ({ ...valid, stop: value })],
    ['request.stop[1]', notStrings, (value) => ({ ...valid, stop: ['\n', value] })],
    ['request.draftSources', [null, 5, 'mtp', {}], (value) => ({ ...valid, draftSources: value })],
    ['request.draftSources', ['MTP', '', 5], (value) => ({ ...valid, draftSources: [value] })],
    ['request.stopTokens', [null, 5, 'text', {}, new Float32Array(1)], (value) => ({ ...valid, stopTokens: value })],
    ['request.spelledTokens', [null, 5, 'text', {}], (value) => ({ ...valid, spelledTokens: value })],
    ['request.spelledTokens[1]', notTokens, (value) => ({ ...valid, spelledTokens: [0, value] })],
    ['request.stopTokens[1]', notTokens, (value) => ({ ...valid, stopTokens: [0, value] })],
    ['request.endsWithFile', [null, 0, 'true', {}], (value) => ({ ...valid, endsWithFile: value })],
    ['request.timeBudgetMs', [...notIntegers, -1, 2 ** 31], (value) => ({ ...valid, timeBudgetMs: value })],
    ['request.sampling', notObjects, (value) => ({ ...valid, sampling: value })],
    ['request.sampling.temperature', [...notNumbers, -0.1, 10.1, Number.POSITIVE_INFINITY], sampling('temperature')],
    ['request.sampling.topK', [...notIntegers, -1], sampling('topK')],
    ['request.sampling.topP', [...notNumbers, -0.1, 1.1], sampling('topP')],
    ['request.sampling.seed', [...notIntegers, -1, 2 ** 32], sampling('seed')],
  ];
  test.each(eachOf(table))('refuses $name = $shown', ({ name, argument }) => {
    expectInvalidArgument(() => (engine as unknown as Untyped).generate(argument), name);
  });

  test.each(notFunctions.map((value) => [describeValue(value), value]))('refuses onText = %s', (_, value) => {
    expectInvalidArgument(() => (engine as unknown as Untyped).generate(valid, value), 'onText');
  });

  test.each([16384, 2 ** 31 - 1])('refuses the prompt token %i, which is not a token of this model', async (token) => {
    const { result } = engine.generate({ prompt: ['x', token], maxTokens: 1 });
    await expect(result).rejects.toThrow(TypeError);
    await expect(result).rejects.toMatchObject({
      code: 'invalidArgument',
      message: expect.stringContaining(String(token)),
    });
  });

  test.each([[[]], [['']], [['', '']]])('refuses the prompt %j, which has no tokens', async (prompt) => {
    const { result } = engine.generate({ prompt, maxTokens: 1 });
    await expect(result).rejects.toMatchObject({ code: 'invalidArgument', message: expect.stringContaining('prompt') });
  });
});

describe('every call', () => {
  test('passes on an exception from a getter of its options', () => {
    const error = new Error('from a getter');
    const hostile = Object.defineProperty({}, 'path', {
      get() {
        throw error;
      },
    });
    const other = new addon.Engine() as unknown as Untyped;
    expect(() => other.load(hostile)).toThrow(error);
    const prompt = Object.defineProperty(['x'], 1, Object.getOwnPropertyDescriptor(hostile, 'path') ?? {});
    expect(() => engine.generate({ prompt, maxTokens: 1 })).toThrow(error);
  });

  const names = ['load', 'cancelLoad', 'tokenize', 'detokenize', 'generate', 'memory', 'close'] as const;
  test.each(names)('%s throws when called on another object', (name) => {
    const method = addon.Engine.prototype[name] as (...values: unknown[]) => unknown;
    for (const receiver of [{}, Object.create(addon.Engine.prototype), addon.Engine.prototype, null, 5]) {
      expect(() => method.call(receiver, {})).toThrow();
    }
  });

  test('facts throws when read from another object', () => {
    expect(() => Reflect.get(addon.Engine.prototype, 'facts', {})).toThrow();
    const watchdog = new addon.Watchdog({ stallMs: 0, abandonedMs: 0 });
    expect(() => Reflect.get(addon.Engine.prototype, 'facts', watchdog)).toThrow(TypeError);
    watchdog.stop();
  });

  test('shortens a long value in its message', () => {
    const other = new addon.Engine() as unknown as Untyped;
    expect(() => other.load('x'.repeat(5000))).toThrow(/^options must be an object, not a string of 5000 bytes$/);
  });

  test('leaves the engine usable after a refusal', async () => {
    await expect(engine.generate(valid).result).resolves.toMatchObject({ stopReason: 'maxTokens' });
  });

  const valid = { prompt: ['x'], maxTokens: 1 };
});
