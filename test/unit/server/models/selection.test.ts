import { describe, expect, it } from 'vitest';
import type { ModelOffer } from '../../../../server/protocol/index.js';
import { CATALOGUE } from '../../../../server/src/models/catalogue/catalogue.js';
import { offerForEntry } from '../../../../server/src/models/model-offer.js';
import { estimateFromClass, fitOf } from '../../../../server/src/models/planning/memory-need.js';
import {
  bestChatModel,
  nearestAlternative,
  rankOffers,
  recommend,
  smallestChatModel,
} from '../../../../server/src/models/selection.js';
import { predictSpeed, type SpeedContext } from '../../../../server/src/models/speed/predicted-speed.js';

const GB = 1e9;

/**
 * A machine whose memory and arithmetic are so many times as fast as two cores of an AMD EPYC with AVX-512, where the
 * starter model was measured (`bench speed`, 24 November 2026).
 */
function machine(times: number): SpeedContext {
  const work = { decodeBytes: 33e6, prefillParameters: 43e6, slowPrefill: true };
  const starter = { path: '/starter.gguf', work, decode: 600 * times, prefill: 3600 * times };
  return { measured: [starter], device: 'cpu', threads: 2 };
}
const UNKNOWN_PROCESSOR: SpeedContext = { measured: [], device: 'cpu', threads: 8 };
const UNKNOWN_APPLE: SpeedContext = { measured: [], device: 'shared', threads: 8 };

function catalogueOn(machineBytes: number, speeds: SpeedContext = machine(30)): ModelOffer[] {
  const limits = { machineBytes, budgetBytes: 0 };
  return CATALOGUE.map((entry) => offerForEntry(entry, limits, (model) => predictSpeed(model, speeds)));
}

describe('the recommendation', () => {
  it.each<[number, string, SpeedContext, string | undefined]>([
    [2 * GB, 'a fast machine', machine(30), 'qwen2.5-coder-0.5b'],
    [64 * GB, 'two cores', machine(1), undefined],
    [64 * GB, 'four cores', machine(2), undefined],
    [64 * GB, 'six cores', machine(3), 'qwen2.5-coder-0.5b'],
    [64 * GB, 'eight cores', machine(4), 'qwen2.5-coder-1.5b'],
    [16 * GB, 'sixteen cores', machine(8), 'qwen2.5-coder-3b'],
    [8 * GB, 'a fast machine', machine(30), 'qwen2.5-coder-3b'],
    [16 * GB, 'a faster machine', machine(60), 'qwen2.5-coder-7b'],
    // A mixture of experts is as fast as a small model, and better.
    [64 * GB, 'a fast machine', machine(30), 'qwen3-coder-30b-a3b'],
    [32 * GB, 'an unknown Mac', UNKNOWN_APPLE, 'qwen2.5-coder-1.5b'],
    [48 * GB, 'an unknown processor', UNKNOWN_PROCESSOR, undefined],
  ])('for %d bytes on %s', (machineBytes, _name, speeds, expected) => {
    const recommended = recommend(catalogueOn(machineBytes, speeds));
    expect(recommended?.id).toBe(expected && `catalogue:${expected}`);
  });

  it('is never a slow model, nor one that nobody says was trained for suggestions', () => {
    for (const times of [1, 2, 5, 10, 20, 50, 100, 1000]) {
      const recommended = recommend(catalogueOn(1000 * GB, machine(times)));
      if (recommended === null) continue;
      expect(recommended.speed.tokensPerSecond).toBeGreaterThanOrEqual(15);
      expect(recommended.speed.promptSeconds).toBeLessThanOrEqual(2);
      expect(recommended.fimTrained).toBe(true);
    }
  });

  it('prefers what is already here to the same model for download', () => {
    const offers = catalogueOn(8 * GB);
    const model = offers.find(({ id }) => id === 'catalogue:qwen2.5-coder-3b')!;
    const here: ModelOffer = { ...model, id: '/here.gguf', source: 'download', path: '/here.gguf' };
    expect(recommend([...offers, here])?.id).toBe('/here.gguf');
  });
});

describe('the chat model to download', () => {
  it.each([
    [2 * GB, 'qwen2.5-coder-1.5b-instruct'],
    [8 * GB, 'qwen2.5-coder-1.5b-instruct'],
    [1 * GB, undefined],
  ])('for %d bytes is the smallest that fits', (machineBytes, expected) => {
    expect(smallestChatModel(catalogueOn(machineBytes))?.id).toBe(expected && `catalogue:${expected}`);
  });

  it.each([8 * GB, 16 * GB])('is one of several that fit in %d bytes', (machineBytes) => {
    const chats = catalogueOn(machineBytes).filter(
      ({ capabilities, fit }) => capabilities.chat && fit === 'comfortable',
    );
    expect(chats.length).toBeGreaterThan(1);
  });
});

describe('the chat model that is on this machine', () => {
  const [some] = catalogueOn(64 * GB).filter(({ id }) => id === 'catalogue:qwen2.5-coder-1.5b-instruct');
  const local = (id: string, parameterCount: number, change: Partial<ModelOffer> = {}): ModelOffer => {
    if (some === undefined) throw new Error('the catalogue has changed');
    const speed = {
      tokensPerSecond: 30e9 / parameterCount,
      promptSeconds: 1,
      atLeast: null,
      basis: 'measured',
    } as const;
    const activeParameterCount = parameterCount;
    return { ...some, id, path: `/${id}`, download: null, parameterCount, activeParameterCount, speed, ...change };
  };
  const noFim = { code: 'noFimTokens', message: 'It cannot complete code' } as const;

  it.each<[string, ModelOffer[], string | null]>([
    ['none without one', [], null],
    ['the best that is as fast as people read', [local('1.5b', 1.5e9), local('4b', 4e9), local('9b', 9e9)], '4b'],
    ['the fastest where none is', [local('32b', 32e9), local('14b', 14e9)], '14b'],
    ['one that cannot complete code', [local('4b', 4e9, { refusal: noFim })], '4b'],
    ['one that leaves room for others', [local('4b', 4e9, { fit: 'tight' }), local('1.5b', 1.5e9)], '1.5b'],
    ['none that does not fit', [local('4b', 4e9, { fit: 'tooLarge' })], null],
    ['none that Inkling cannot load', [local('4b', 4e9, { refusal: { code: 'unsupportedModel', message: '' } })], null],
    ['none without a template', [local('4b', 4e9, { capabilities: { fim: true, mtp: false, chat: false } })], null],
    ['none for next edits', [local('4b', 4e9, { nextEdits: true })], null],
    ['none that is not here', [local('4b', 4e9, { path: null })], null],
  ])('is %s', (_name, offers, expected) => {
    expect(bestChatModel(offers)?.id ?? null).toBe(expected);
  });
});

it('ranks usable before unusable, comfortable before tight, and what runs well before what does not', () => {
  const ranked = rankOffers(catalogueOn(16 * GB, machine(8)));
  const usable = ranked.map(({ refusal }) => refusal === null);
  expect(usable).toEqual([...usable].sort((left, right) => Number(right) - Number(left)));
  expect(ranked[0]?.id).toBe('catalogue:qwen2.5-coder-3b');
  expect(ranked.at(-1)?.refusal).toMatchObject({ code: 'outOfMemory' });
  expect(ranked.at(-1)?.refusal?.message).toMatch(/needs about \d+\.\d GB, too much for this machine with 16\.0 GB/);
});

it('ranks the fastest first where none is fast enough', () => {
  const ranked = rankOffers(catalogueOn(16 * GB, machine(1))).filter(
    ({ fimTrained, fit }) => fimTrained && fit === 'comfortable',
  );
  expect(ranked.map(({ parameterCount }) => parameterCount / GB)).toEqual([0.5, 1.5, 3, 7]);
});

describe('the alternative', () => {
  const offers = catalogueOn(16 * GB);
  const refused = (memoryBytes: number, change: Partial<ModelOffer> = {}): ModelOffer => ({
    ...offers[0]!,
    architecture: 'unheardOf',
    memoryBytes,
    ...change,
  });

  it('is the nearest that fits and is fast', () => {
    expect(nearestAlternative(catalogueOn(16 * GB, machine(200)), refused(40 * GB))?.id).toBe(
      'catalogue:qwen2.5-coder-14b',
    );
    expect(nearestAlternative(offers, refused(0.1 * GB))?.id).toBe('catalogue:qwen2.5-coder-0.5b');
  });

  it.each([1, 2, 5, 10, 20, 50])('is never slow, on a machine of %d times the speed', (times) => {
    const here = catalogueOn(16 * GB, machine(times));
    for (const other of [null, refused(40 * GB), ...here]) {
      const alternative = nearestAlternative(here, other);
      if (alternative === null) continue;
      expect(alternative.speed.tokensPerSecond).toBeGreaterThanOrEqual(15);
      expect(alternative.speed.promptSeconds).toBeLessThanOrEqual(2);
    }
  });

  it('is the starter model where every other one is slow', () => {
    const slow = catalogueOn(16 * GB, machine(0.1));
    const starter: ModelOffer = { ...slow[0]!, id: 'starter', source: 'starter', path: '/starter.gguf' };
    expect(nearestAlternative([...slow, starter], refused(40 * GB))?.id).toBe('starter');
    expect(nearestAlternative([...slow, starter], null)?.id).toBe('starter');
    expect(nearestAlternative(slow, refused(40 * GB))).toBeNull();
  });

  it('is one that was trained for suggestions, before one that is nearer', () => {
    const nearer = offers.find(({ id }) => id === 'catalogue:sweep-next-edit-1.5b')!;
    expect(nearestAlternative(offers, refused(nearer.memoryBytes))?.fimTrained).toBe(true);
  });

  it('is the same model in a smaller quantization if there is one', () => {
    const small = offers.find(({ id }) => id === 'catalogue:qwen2.5-coder-3b')!;
    const { architecture, parameterCount } = small;
    const large = refused(40 * GB, { architecture, parameterCount: parameterCount * 1.03 });
    expect(nearestAlternative(offers, large)?.id).toBe(small.id);
  });

  it('is the recommendation if the refused file is unknown', () => {
    expect(nearestAlternative(catalogueOn(8 * GB), null)?.id).toBe('catalogue:qwen2.5-coder-3b');
  });
});

describe('the catalogue', () => {
  it('names each entry once, with a repository and a file', () => {
    expect(new Set(CATALOGUE.map(({ id }) => id)).size).toBe(CATALOGUE.length);
    for (const { repository, file, quantization, capabilities } of CATALOGUE) {
      expect(repository).toMatch(/^[\w.-]+\/[\w.-]+$/);
      expect(file).toContain(quantization === 'Q8_0' ? 'q8_0' : quantization);
      expect(capabilities.fim).toBe(true);
    }
  });

  it('says which models were trained for suggestions and which for next edits, whatever their vocabulary', () => {
    const ids = (is: (offer: ModelOffer) => boolean) =>
      catalogueOn(16 * GB)
        .filter(is)
        .map(({ id }) => id.slice(10));
    expect(ids(({ fimTrained }) => fimTrained)).toEqual([
      ...['0.5', '1.5', '3', '7', '14'].map((size) => `qwen2.5-coder-${size}b`),
      'qwen3-coder-30b-a3b',
    ]);
    expect(ids(({ nextEdits }) => nextEdits)).toEqual(['sweep-next-edit-0.5b', 'sweep-next-edit-1.5b']);
  });

  it('has a size for each, from which the memory is estimated', () => {
    for (const { fileBytes } of CATALOGUE) expect(fileBytes / GB).toBeGreaterThan(0.3);
    const entry = CATALOGUE.find(({ id }) => id === 'qwen2.5-coder-7b')!;
    expect(estimateFromClass(entry) / GB).toBeGreaterThan(4.9);
    expect(estimateFromClass(entry) / GB).toBeLessThan(5.5);
  });
});

it.each([
  [4.4, 0, 'comfortable'],
  [4.5, 0, 'tight'],
  [6.8, 0, 'tight'],
  [6.9, 0, 'tooLarge'],
  [4, 5, 'comfortable'],
  [4.1, 5, 'tight'],
  [5, 5, 'tight'],
  [5.1, 5, 'tooLarge'],
  [7.9, 99, 'tight'],
  [8.1, 99, 'tooLarge'],
])('%d GB of 8, with a budget of %d, fit: %s', (gigabytes, budget, fit) => {
  expect(fitOf(gigabytes * GB, { machineBytes: 8 * GB, budgetBytes: budget * GB })).toBe(fit);
});

it.each([
  [12, { deviceBytes: 12 * GB }, 'tight'],
  [10, { deviceBytes: 12 * GB }, 'comfortable'],
  [18, { deviceBytes: 12 * GB }, 'tooLarge'],
  [6, { workingSetBytes: 5.5 * GB }, 'tooLarge'],
  [5, { workingSetBytes: 5.5 * GB }, 'tight'],
])('%d GB of 8, with %o of a GPU, fit: %s', (gigabytes, gpu, fit) => {
  expect(fitOf(gigabytes * GB, { machineBytes: 8 * GB, budgetBytes: 0, ...gpu })).toBe(fit);
});
