import { describe, expect, it } from 'vitest';
import { guestMemory } from '../../../../server/src/engine/shared/guest-memory.js';
import { describeMemory } from '../../../../server/src/memory/describe-memory.js';
import { heldMemory } from '../../../../server/src/memory/held-memory.js';
import { ScriptedEngine } from '../scripted-engine.js';

const INPUT = {
  requestedBytes: 0,
  machineBytes: 16e9,
  hasOwnMemory: (device: string) => device === 'Vulkan0',
  windows: { count: 1, bytes: 0 },
  chat: null,
  kept: [],
  peakBytes: 0,
};

it('has no peak below what is in use, which the system counts a little earlier, and without GPUs', () => {
  const report = { ...new ScriptedEngine().memory(), processRssBytes: 170e6 };
  const peakOf = (peakRssBytes: number, earlier = 0, weightsBytes = 1) =>
    describeMemory({ ...report, peakRssBytes, weightsBytes }, { ...INPUT, peakBytes: earlier }).peakBytes;
  expect(peakOf(168e6)).toBe(170e6);
  expect(peakOf(180e6)).toBe(180e6);
  expect(peakOf(180e6, 300e6)).toBe(300e6);
  // Of a mapped file, as many pages as were read count as resident.
  expect(peakOf(180e6, 0, 900e6)).toBeGreaterThan(900e6);
});

it('counts at least what the engine has reserved as in use, touched or not', () => {
  const report = { ...new ScriptedEngine().memory(), processRssBytes: 10e6, weightsBytes: 900e6 };
  expect(describeMemory(report, INPUT).inUseBytes).toBeGreaterThan(900e6);
});

it('names each GPU and what it holds', () => {
  const device = { totalBytes: 8e9, freeBytes: 5e9, weightsBytes: 2e9, contextBytes: 3e8, computeBytes: 1e8 };
  const devices = [
    { ...device, name: 'CPU', description: 'Some processor' },
    { ...device, name: 'Vulkan0', description: 'Some GPU' },
  ];
  const report = { ...new ScriptedEngine().memory(), devices };
  const { gpus } = describeMemory(report, INPUT);
  expect(gpus).toEqual([{ name: 'Some GPU', heldBytes: 2.4e9, freeBytes: 5e9, totalBytes: 8e9 }]);
  expect(describeMemory(null, INPUT).gpus).toEqual([]);
  // The model for chat alone, and one that other windows use, lie there as well.
  const chat = { name: 'Talker', report };
  const all = describeMemory(report, { ...INPUT, chat, kept: [report] });
  expect(all.gpus).toEqual([{ name: 'Some GPU', heldBytes: 7.2e9, freeBytes: 5e9, totalBytes: 8e9 }]);
  expect(describeMemory(null, { ...INPUT, chat }).gpus).toEqual(gpus);
});

it('counts a model that only other windows use, on the processor and on a GPU', () => {
  const report = { ...new ScriptedEngine().memory(), totalBytes: 5e9 };
  const onProcessor = describeMemory(null, { ...INPUT, kept: [report] });
  expect(onProcessor.keptBytes).toBe(5e9);
  expect(onProcessor.inUseBytes).toBeGreaterThanOrEqual(5e9);
  const place = { totalBytes: 8e9, freeBytes: 1e9, contextBytes: 0, computeBytes: 0, description: '' };
  const devices = [
    { ...place, name: 'CPU', weightsBytes: 0 },
    { ...place, name: 'Vulkan0', weightsBytes: 5e9 },
  ];
  const onGpu = describeMemory(null, { ...INPUT, kept: [{ ...report, devices }] });
  expect(onGpu.inUseBytes).toBe(onGpu.processRssBytes + 5e9);
});

describe('a GPU', () => {
  const report = new ScriptedEngine().memory();
  const processor = { name: 'CPU', description: '', totalBytes: 16e9, freeBytes: 16e9 };
  const gpu = { name: 'Vulkan0', description: '', totalBytes: 24e9, freeBytes: 3e9, contextBytes: 0, computeBytes: 0 };
  /** @param weightsBytes on that GPU, and nowhere else */
  const on = (name: string, weightsBytes: number, rest = {}) => ({
    ...report,
    weightsBytes,
    processRssBytes: 1e9,
    devices: [
      { ...processor, weightsBytes: 0, contextBytes: 0, computeBytes: 0 },
      { ...gpu, name, weightsBytes, ...rest },
    ],
  });

  it('with memory of its own adds what is free there, and what models hold there, to the budget', () => {
    const all = { ...INPUT, requestedBytes: 1e12 };
    expect(describeMemory(on('Vulkan0', 20e9), all).budgetBytes).toBe(16e9 + 23e9);
    const chat = { name: 'Talker', report: on('Vulkan0', 1e9) };
    expect(describeMemory(on('Vulkan0', 20e9), { ...all, chat }).budgetBytes).toBe(16e9 + 24e9);
    // Its driver calls all memory free.
    expect(describeMemory(on('Vulkan0', 20e9, { freeBytes: 24e9 }), all).budgetBytes).toBe(16e9 + 24e9);
    expect(describeMemory(null, all).budgetBytes).toBe(16e9);
  });

  it('counts besides the pages of the process', () => {
    expect(describeMemory(on('Vulkan0', 20e9), INPUT).inUseBytes).toBe(21e9);
    expect(describeMemory(on('Vulkan1', 20e9), INPUT).inUseBytes).toBeLessThan(20.5e9);
  });

  it('that shares the memory of the machine adds nothing', () => {
    expect(describeMemory(on('Vulkan1', 20e9), { ...INPUT, requestedBytes: 1e12 }).budgetBytes).toBe(16e9);
  });

  it('is no part of the memory that the load of another model finds freed', () => {
    const own = heldMemory(on('Vulkan0', 20e9), INPUT.hasOwnMemory);
    expect(own.freedBytes).toBeLessThan(2e9);
    expect(own.besidesBytes).toBeGreaterThan(80e6 - 1);
  });
});

it('counts nothing of a model that another window holds, and says how much that is', () => {
  const summary = describeMemory(guestMemory(5e9), INPUT);
  expect(summary).toMatchObject({ elsewhereBytes: 5e9, weightsBytes: 0, kvBytes: 0, computeBytes: 0 });
  expect(summary.inUseBytes).toBe(summary.processRssBytes);
  expect(summary.inUseBytes).toBeLessThan(5e9);
  const chat = { name: 'Talker', report: guestMemory(2e9) };
  expect(describeMemory(guestMemory(5e9), { ...INPUT, chat })).toMatchObject({
    elsewhereBytes: 7e9,
    chatModel: { name: 'Talker', bytes: 0 },
  });
});
