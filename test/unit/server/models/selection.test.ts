import { describe, expect, it } from 'vitest';
import type { ModelOffer } from '../../../../server/protocol/index.js';
import { CATALOGUE } from '../../../../server/src/models/catalogue.js';
import { estimateFromClass, fitOf } from '../../../../server/src/models/memory-need.js';
import { offerForEntry } from '../../../../server/src/models/model-offer.js';
import { nearestAlternative, rankOffers, recommend } from '../../../../server/src/models/selection.js';

const GB = 1e9;

function catalogueOn(machineBytes: number): ModelOffer[] {
  return CATALOGUE.map((entry) => offerForEntry(entry, { machineBytes, budgetBytes: 0 }));
}

function recommendedOn(machineBytes: number, accelerated: boolean): string | undefined {
  return recommend(catalogueOn(machineBytes), accelerated)?.id;
}

describe('the recommendation', () => {
  it.each([
    [2 * GB, false, undefined],
    [8 * GB, false, 'catalogue:qwen2.5-coder-3b'],
    [16 * GB, false, 'catalogue:qwen2.5-coder-3b'],
    [16 * GB, true, 'catalogue:qwen2.5-coder-7b'],
    [64 * GB, false, 'catalogue:qwen3.6-35b-a3b-mtp'],
    [64 * GB, true, 'catalogue:qwen3.6-35b-a3b-mtp'],
  ])('for %d bytes, accelerated: %s', (machineBytes, accelerated, expected) => {
    expect(recommendedOn(machineBytes, accelerated)).toBe(expected);
  });

  it('prefers what is already here to the same model for download', () => {
    const offers = catalogueOn(16 * GB);
    const model = offers.find(({ id }) => id === 'catalogue:qwen2.5-coder-3b')!;
    const here: ModelOffer = { ...model, id: '/here.gguf', source: 'download', path: '/here.gguf' };
    expect(recommend([...offers, here], false)?.id).toBe('/here.gguf');
  });
});

it('ranks usable before unusable, and comfortable before tight', () => {
  const ranked = rankOffers(catalogueOn(32 * GB));
  const usable = ranked.map(({ refusal }) => refusal === null);
  expect(usable).toEqual([...usable].sort((left, right) => Number(right) - Number(left)));
  expect(ranked[0]?.fit).toBe('comfortable');
  expect(ranked.at(-1)?.refusal).toMatchObject({ code: 'outOfMemory' });
  expect(ranked.at(-1)?.refusal?.message).toMatch(
    /needs about \d+\.\d GB, more than this machine can give of its 32\.0 GB/,
  );
});

describe('the alternative', () => {
  const offers = catalogueOn(32 * GB);
  const refused = (memoryBytes: number, change: Partial<ModelOffer> = {}): ModelOffer => ({
    ...offers[0]!,
    architecture: 'unheardOf',
    memoryBytes,
    ...change,
  });

  it('is the nearest that fits', () => {
    expect(nearestAlternative(offers, refused(40 * GB), false)?.id).toBe('catalogue:qwen3.6-35b-a3b-mtp');
    expect(nearestAlternative(offers, refused(2 * GB), false)?.id).toBe('catalogue:qwen2.5-coder-1.5b');
  });

  it('is the same model in a smaller quantization if there is one', () => {
    const small = offers.find(({ id }) => id === 'catalogue:qwen2.5-coder-3b')!;
    const { architecture, parameterCount } = small;
    const large = refused(40 * GB, { architecture, parameterCount: parameterCount * 1.03 });
    expect(nearestAlternative(offers, large, false)?.id).toBe(small.id);
  });

  it('is the recommendation if the refused file is unknown', () => {
    expect(nearestAlternative(catalogueOn(16 * GB), null, false)?.id).toBe('catalogue:qwen2.5-coder-3b');
  });
});

describe('the catalogue', () => {
  it('names each entry once, with a repository and a quantization', () => {
    expect(new Set(CATALOGUE.map(({ id }) => id)).size).toBe(CATALOGUE.length);
    for (const { repository, quantization, capabilities } of CATALOGUE) {
      expect(repository).toMatch(/^[\w.-]+\/[\w.-]+$/);
      expect(quantization).not.toBe('');
      expect(capabilities.fim).toBe(true);
    }
  });

  it('has bits per weight for each quantization', () => {
    const entry = CATALOGUE.find(({ id }) => id === 'qwen2.5-coder-7b')!;
    expect(estimateFromClass(entry) / GB).toBeGreaterThan(7.4);
    expect(estimateFromClass({ ...entry, quantization: 'Q4_K_M' }) / GB).toBeLessThan(5);
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
