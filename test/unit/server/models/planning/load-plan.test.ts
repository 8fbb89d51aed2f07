import { describe, expect, it } from 'vitest';
import type { EstimateMemory, LoadOptions, LoadRequest } from '../../../../../server/src/engine/port/engine.js';
import type { GgufHeader } from '../../../../../server/src/models/gguf/gguf-header.js';
import {
  bytesAt,
  type Estimated,
  longestContext,
  planCaches,
  planLengths,
} from '../../../../../server/src/models/planning/load-plan.js';
import { LoadPlanner } from '../../../../../server/src/models/planning/load-planner.js';
import { ampleBytes } from '../../../../../server/src/models/planning/memory-need.js';
import { estimateOf } from './estimate-of.js';

const MIB = 2 ** 20;
const GB = 1e9;

/** Weights of 1 GB; 0.1 MB for each token in either slot. */
const REQUESTED: Estimated = { lengths: { completion: 8192, chat: 8192 }, estimate: estimateOf(GB, 8192, 8192) };
const upTo = (limit: number) => () => limit;

describe('planLengths', () => {
  it.each([
    ['there is room for all', 3 * GB, true, true, [8192, 8192]],
    ['the chat is never used', 1.9 * GB, true, false, [8192, 8192]],
    ['suggestions and chat share what there is', 2 * GB, true, true, [4096, 4096]],
    ['less is left', 1.5 * GB, true, true, [2048, 2048]],
    ['the least of both fits', 1.21 * GB, true, true, [1024, 1024]],
    ['only suggestions fit', 1.15 * GB, true, true, [1024, 1024]],
    ['the length of suggestions is the user’s', 2.1 * GB, false, true, [8192, 2048]],
    ['there is too little for what the user wants', 1.5 * GB, false, true, null],
    ['there is too little for anything', 1.05 * GB, true, true, null],
  ] as const)('when %s', (_name, limit, completion, chats, expected) => {
    const lengths = planLengths(REQUESTED, { completion, chats }, upTo(limit));
    expect(lengths && [lengths.completion, lengths.chat]).toEqual(expected);
  });

  it('follows a limit that grows with the need', () => {
    const freedom = { completion: true, chats: true };
    expect(planLengths(REQUESTED, freedom, (needed) => Math.min(needed * 1.25, 3 * GB))).toEqual(REQUESTED.lengths);
  });

  it('leaves a model with a context below the minimum unchanged', () => {
    const lengths = { completion: 512, chat: 512 };
    const small = { lengths, estimate: estimateOf(GB, 512, 512) };
    expect(planLengths(small, { completion: true, chats: true }, upTo(2 * GB))).toEqual(lengths);
    expect(planLengths(small, { completion: true, chats: true }, upTo(GB))).toBeNull();
  });
});

it.each([
  [2 * GB, 8192],
  [1.5 * GB, 4864],
  [1.1 * GB, null],
  [0.5 * GB, null],
])('within %d bytes, the longest context is %s', (limit, expected) => {
  expect(longestContext(REQUESTED, upTo(limit))).toBe(expected);
});

describe('planCaches', () => {
  it.each([
    ['all of it fits', 256, true, {}],
    ['there is no second slot', 192, false, {}],
    ['there is less', 192, true, { checkpointBudgetBytes: 64 * MIB, swapBudgetBytes: 64 * MIB }],
    ['there is little', 50, true, { checkpointBudgetBytes: 16 * MIB, swapBudgetBytes: 16 * MIB }],
    ['nothing is left', 0, true, { checkpointBudgetBytes: 0, swapBudgetBytes: 0 }],
  ])('when %s', (_name, left, chats, expected) => {
    expect(planCaches(REQUESTED, left * MIB, { completion: true, chats })).toEqual(expected);
  });
});

describe('LoadPlanner', () => {
  const HEADER: GgufHeader = {
    paths: ['/a.gguf'],
    fileBytes: GB,
    architecture: 'qwen2',
    name: 'A',
    quantization: 'Q8_0',
    parameterCount: GB,
    activeParameterCount: GB,
    tensorBytes: GB,
    work: { decodeBytes: GB, prefillParameters: GB, slowPrefill: false },
    trainingContextLength: 32_768,
    vocabularySize: 1000,
    kvElementsPerToken: 1e4,
    recurrent: false,
    pooling: null,
    fim: true,
    mtp: false,
    chat: true,
    chatTemplate: '',
    languages: null,
    trainedLength: null,
    eosToken: 0,
    nextEditFormat: null,
  };

  function plannerWith(
    estimateMemory: EstimateMemory,
    besidesBytes = 0,
    availableBytes = 1e12,
    slots: 1 | 2 = 2,
    unifiedMemory = false,
  ): LoadPlanner {
    const held = () => ({ besidesBytes, freedBytes: 0 });
    const machineBytes = 16 * GB;
    const examined = { has: async () => true, add: async () => undefined };
    return new LoadPlanner({
      estimateMemory,
      examined,
      starterModelPath: '/starter.gguf',
      machineBytes,
      unifiedMemory,
      held,
      availableBytes: () => availableBytes,
      slots,
    });
  }

  const linear: EstimateMemory = async ({ contextLength = 0, chatContextLength = 0 }) =>
    estimateOf(GB, contextLength, chatContextLength);

  function plan(planner: LoadPlanner, loadRequest: Omit<LoadRequest, 'path'>, header = HEADER, now = false) {
    return planner.plan(header, { path: '/a.gguf', ...loadRequest }, now);
  }

  /** The most memory of the load, with all slots and caches full. */
  function mostBytes(options: LoadOptions): number {
    const { contextLength = 8192, chatContextLength = 8192 } = options;
    const lengths = { completion: contextLength || 8192, chat: chatContextLength || 8192 };
    const { checkpointBudgetBytes = 64 * MIB, swapBudgetBytes = 128 * MIB } = options;
    return bytesAt(REQUESTED, lengths, true) + 2 * checkpointBudgetBytes + swapBudgetBytes;
  }

  it('never plans more than the budget, of any size', async () => {
    const planner = plannerWith(linear, 1e8);
    const kinds = new Set<string>();
    for (let budgetBytes = 1e9; budgetBytes < 4e9; budgetBytes += 7e6) {
      const planned = await plan(planner, { budgetBytes });
      kinds.add(planned.kind);
      // If not even the shortest chat fits beside suggestions, it is freed in its pauses.
      if (planned.kind === 'fits' && budgetBytes > 1.31e9) {
        expect(1e8 + mostBytes(planned.options)).toBeLessThanOrEqual(budgetBytes);
      }
      expect(planned.memoryBytes <= budgetBytes || planned.kind === 'tooLarge').toBe(true);
    }
    expect(kinds.size).toBe(2);
  });

  it('plans no second context if there will be only one', async () => {
    const loadRequest = { budgetBytes: 2 * GB };
    const both = await plan(plannerWith(linear), loadRequest);
    const alone = await plan(plannerWith(linear, 0, 1e12, 1), loadRequest);
    expect(both).toMatchObject({ kind: 'fits', options: { contextLength: 4096 } });
    expect(alone).toMatchObject({ kind: 'fits', options: { contextLength: 8192 } });
  });

  it('makes the context as long as suggestions need, unless the user or the model says otherwise', async () => {
    const planner = plannerWith(linear);
    const suggestionTokens = 2048;
    const asked = { budgetBytes: 8 * GB, suggestionTokens };
    expect(await plan(planner, asked)).toMatchObject({ options: { contextLength: 2048 } });
    expect(await plan(planner, { ...asked, contextLength: 4096 })).toMatchObject({ options: { contextLength: 4096 } });
    const short = { ...HEADER, trainingContextLength: 1024 };
    expect(await plan(planner, asked, short)).toMatchObject({ options: { contextLength: 1024 } });
    const fast = { ...asked, suggestionTokens: 4608 };
    expect(await plan(planner, fast)).toMatchObject({ options: { contextLength: 4608 } });
    const fastest = { ...asked, suggestionTokens: 16_896 };
    expect(await plan(planner, fastest, { ...HEADER, trainingContextLength: 32_768 })).toMatchObject({
      options: { contextLength: 16_896 },
    });
    const trained = { ...HEADER, trainedLength: 2048 };
    expect(await plan(planner, fast, trained)).toMatchObject({ options: { contextLength: 2048 } });
    expect(await plan(planner, { ...fast, contextLength: 8192 }, trained)).toMatchObject({
      options: { contextLength: 8192 },
    });
    // The chat keeps its own.
    const planned = await plan(planner, asked);
    expect(planned.kind === 'fits' && planned.options).not.toHaveProperty('chatContextLength');
    // The budget can still shorten it.
    expect(await plan(planner, { ...asked, budgetBytes: 1.3 * GB })).toMatchObject({
      options: { contextLength: 1024 },
    });
    // It needs no estimate where the shorter context makes room ample.
    expect(ampleBytes(HEADER, { path: '/a.gguf', ...asked })).toBeLessThan(ampleBytes(HEADER, { path: '/a.gguf' }));
  });

  it('corrects a linear estimate that was too low', async () => {
    // A model whose short contexts take more than a linear estimate.
    const crooked: EstimateMemory = async (options) => {
      const estimate = await linear(options);
      const more = (8192 - (options.contextLength ?? 0)) * 5e4;
      return { ...estimate, neededBytes: estimate.neededBytes + more };
    };
    const header = { ...HEADER, chat: false };
    expect(await plan(plannerWith(linear), { budgetBytes: 1.45 * GB }, header)).toMatchObject({
      options: { contextLength: 4096 },
    });
    expect(await plan(plannerWith(crooked), { budgetBytes: 1.6 * GB }, header)).toMatchObject({
      options: { contextLength: 2048 },
    });
  });

  it('requests each estimate once, unless it fails', async () => {
    let count = 0;
    let failing = true;
    const planner = plannerWith(async (options) => {
      count += 1;
      if (failing) throw new Error('Not now');
      return linear(options);
    });
    await expect(plan(planner, {})).rejects.toThrow('Not now');
    failing = false;
    for (let round = 0; round < 3; round++) await plan(planner, {});
    expect(count).toBe(2);
  });

  it('limits a load by free memory, a list by the budget only', async () => {
    const planner = plannerWith(linear, 2e8, 1.2 * GB);
    expect(await plan(planner, {}, HEADER, false)).toMatchObject({ kind: 'fits', options: { path: '/a.gguf' } });
    expect(await plan(planner, {}, HEADER, true)).toMatchObject({ kind: 'fits', options: { contextLength: 1024 } });
    expect(await plan(planner, { contextLength: 8192 }, HEADER, true)).toMatchObject({
      kind: 'tooLarge',
      limitedBy: 'available',
      limitBytes: 1.4 * GB,
      fittingContext: 1792,
    });
  });

  it.each([
    [1.5 * GB, 'budget'],
    [0, 'machine'],
    [64 * GB, 'machine'],
  ] as const)(
    'says whether the setting or the machine is the limit: a budget of %d',
    async (budgetBytes, limitedBy) => {
      const large: EstimateMemory = async () => estimateOf(20 * GB, 8192, 8192);
      expect(await plan(plannerWith(large), { contextLength: 8192, budgetBytes })).toMatchObject({
        kind: 'tooLarge',
        limitedBy,
      });
    },
  );

  it('counts what the engine says that the machine can spare, which refuses what is beyond it', async () => {
    const reserving: EstimateMemory = async (options) => ({ ...(await linear(options)), availableBytes: 1.4 * GB });
    const planner = plannerWith(reserving, 0, 2.4 * GB);
    expect(await plan(planner, { contextLength: 8192 }, HEADER, true)).toMatchObject({
      kind: 'tooLarge',
      limitedBy: 'available',
      limitBytes: 1.4 * GB,
    });
  });

  it('counts on a device what the model to replace gives back', async () => {
    const onDevice: EstimateMemory = async (options) => ({
      ...(await linear(options)),
      deviceFreeBytes: 0.2 * GB,
      availableBytes: 1.2 * GB,
    });
    const planner = plannerWith(onDevice, 0, 1e12, 1);
    const loadRequest = { contextLength: 8192, device: 'Vulkan0' };
    expect(await plan(planner, { ...loadRequest, deviceBytes: 0.2 * GB }, HEADER, true)).toMatchObject({
      kind: 'tooLarge',
      limitBytes: 1.2 * GB,
    });
    expect(await plan(planner, { ...loadRequest, deviceBytes: 4 * GB }, HEADER, true)).toMatchObject({ kind: 'fits' });
  });

  it('keeps within the working set of a GPU that shares the memory of the machine', async () => {
    const onMetal: EstimateMemory = async (options) => ({ ...(await linear(options)), deviceFreeBytes: 1.5 * GB });
    const planner = plannerWith(onMetal, 1e8, 1e12, 1, true);
    expect(planner.workingSetBytes).toBeNull();
    for (const now of [false, true]) {
      expect(await plan(planner, { contextLength: 8192 }, HEADER, now)).toMatchObject({
        kind: 'tooLarge',
        limitedBy: 'workingSet',
        limitBytes: 1.6 * GB,
      });
    }
    expect(await plan(planner, {}, HEADER)).toMatchObject({ kind: 'fits', options: { contextLength: 4096 } });
    // Also of what is not here yet, and of no use to the processor.
    expect(planner.workingSetBytes).toBe(1.6 * GB);
    expect(await plan(planner, { contextLength: 8192, gpuLayers: 0 })).toMatchObject({ kind: 'fits' });
    expect(await plan(plannerWith(onMetal), { contextLength: 8192 })).toMatchObject({ kind: 'fits' });
  });

  it('requests no estimate before a load with ample room', async () => {
    const planner = plannerWith(() => Promise.reject(new Error('Nobody should ask')));
    const loadRequest = { path: '/a.gguf', threads: 2, budgetBytes: 8 * GB };
    expect(await planner.planLoad(HEADER, loadRequest)).toMatchObject({
      kind: 'fits',
      options: { path: '/a.gguf', threads: 2 },
    });
    await expect(planner.planLoad(HEADER, { ...loadRequest, budgetBytes: 2 * GB })).rejects.toThrow();
  });
});
