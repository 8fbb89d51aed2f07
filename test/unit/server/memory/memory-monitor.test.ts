import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DEFAULT_SETTINGS, type InklingSettings, type MemorySample } from '../../../../server/protocol/index.js';
import { createEngineHost, type EngineHost } from '../../../../server/src/engine/lifecycle/engine-host.js';
import { MemoryMonitor } from '../../../../server/src/memory/memory-monitor.js';
import type { MemoryPressure } from '../../../../server/src/memory/shed-policy.js';
import { type WindowMemory, WindowRegistry } from '../../../../server/src/memory/window-registry.js';
import { ScriptedEngine, SILENT } from '../scripted-engine.js';

const MINUTE = 60_000;

let engine: ScriptedEngine;
let chatEngine: ScriptedEngine;
let host: EngineHost;
let chatHost: EngineHost;
let monitor: MemoryMonitor;
let settings: InklingSettings;
let pressure: MemoryPressure;
let onBattery: boolean;
let collections: number;

beforeEach(async () => {
  vi.useFakeTimers();
  settings = { ...DEFAULT_SETTINGS, unloadAfterMinutes: 0 };
  pressure = 'none';
  onBattery = false;
  collections = 0;
  engine = new ScriptedEngine();
  engine.holdsMegabytes = 100;
  host = createEngineHost(() => engine, SILENT);
  chatEngine = new ScriptedEngine();
  chatHost = createEngineHost(() => chatEngine, SILENT);
  monitor = new MemoryMonitor(host, chatHost, {
    settings: () => settings,
    machineBytes: 16e9,
    hasOwnMemory: () => false,
    senses: { readPressure: async () => pressure, readOnBattery: async () => onBattery },
    collectGarbage: () => {
      collections += 1;
    },
    kept: () => [],
    registry: new WindowRegistry(null, SILENT),
    log: SILENT,
  });
  host.lifecycle.want({ path: '/model.gguf' });
  await vi.advanceTimersByTimeAsync(1);
  engine.finishLoad();
  await vi.advanceTimersByTimeAsync(1);
});
afterEach(() => {
  monitor.dispose();
  vi.useRealTimers();
});

it('frees nothing without a reason', async () => {
  await vi.advanceTimersByTimeAsync(90 * MINUTE);
  expect(engine.released).toEqual([]);
  expect(host.lifecycle.state.kind).toBe('ready');
});

it('unloads an unused model after the time in the settings, and not before', async () => {
  settings = { ...settings, unloadAfterMinutes: 5 };
  monitor.reconsider();
  await vi.advanceTimersByTimeAsync(4.9 * MINUTE);
  expect(host.lifecycle.state.kind).toBe('ready');
  await vi.advanceTimersByTimeAsync(0.2 * MINUTE);
  expect(host.lifecycle.state).toEqual({ kind: 'unloaded', reason: 'idle' });
  expect(monitor.summary()).toMatchObject({ weightsBytes: 0, processRssBytes: expect.any(Number) });
});

it('frees memory step by step while memory is short, the weights last, and lets them return afterwards', async () => {
  pressure = 'critical';
  await vi.advanceTimersByTimeAsync(MINUTE);
  expect(engine.released).toEqual(['checkpoints', 'swapped', 'chat', 'completion']);
  expect(host.lifecycle.state).toEqual({ kind: 'unloaded', reason: 'memoryPressure' });
  pressure = 'none';
  await vi.advanceTimersByTimeAsync(MINUTE);
  expect(host.lifecycle.state).toEqual({ kind: 'unloaded', reason: 'idle' });
});

it('keeps to the budget', async () => {
  settings = { ...settings, memoryBudgetGb: 0.1 };
  await vi.advanceTimersByTimeAsync(MINUTE);
  expect(engine.released).toEqual(['checkpoints', 'swapped', 'chat']);
  expect(host.lifecycle.state.kind).toBe('ready');
});

it('reacts to the battery only if the user wants that', async () => {
  onBattery = true;
  await vi.advanceTimersByTimeAsync(5 * MINUTE);
  expect(host.lifecycle.state.kind).toBe('ready');
  settings = { ...settings, onBattery: 'unload' };
  await vi.advanceTimersByTimeAsync(5 * MINUTE);
  expect(host.lifecycle.state).toEqual({ kind: 'unloaded', reason: 'battery' });
});

it('sends samples only while a client watches, and keeps an hour', async () => {
  const samples: MemorySample[] = [];
  monitor.onDidSample((sample) => samples.push(sample));
  await vi.advanceTimersByTimeAsync(90 * MINUTE);
  expect(samples).toHaveLength(0);
  const history = monitor.watch();
  expect(history.length).toBeGreaterThan(300);
  expect(history.length).toBeLessThanOrEqual(361);
  await vi.advanceTimersByTimeAsync(10_000);
  const sent = samples.length;
  expect(sent).toBeGreaterThan(5);
  monitor.unwatch();
  await vi.advanceTimersByTimeAsync(MINUTE);
  expect(samples).toHaveLength(sent);
});

it("frees every cache at the user's command", async () => {
  await monitor.freeCaches();
  expect(engine.released).toEqual(['checkpoints', 'swapped', 'chat', 'completion']);
});

it('adds up windows by what they take of the machine, not of a GPU', async () => {
  monitor.dispose();
  const report = engine.memory();
  const gpu = { name: 'Vulkan0', description: '', weightsBytes: 20e9, contextBytes: 0, computeBytes: 0 };
  const room = { totalBytes: 24e9, freeBytes: 3e9 };
  const processor = { ...gpu, name: 'CPU', weightsBytes: 0, ...room };
  engine.memory = () => ({ ...report, weightsBytes: 20e9, devices: [processor, { ...gpu, ...room }] });
  const update = vi.fn((_own: WindowMemory) => ({ count: 1, bytes: 0 }));
  monitor = new MemoryMonitor(host, chatHost, {
    settings: () => settings,
    machineBytes: 16e9,
    hasOwnMemory: (device) => device === 'Vulkan0',
    senses: { readPressure: async () => pressure, readOnBattery: async () => onBattery },
    collectGarbage: () => undefined,
    kept: () => [],
    registry: { update, leave: () => undefined },
    log: SILENT,
  });
  await vi.advanceTimersByTimeAsync(MINUTE);
  const [own] = update.mock.lastCall ?? [];
  expect(Number(own?.privateBytes) + Number(own?.sharedBytes)).toBeLessThan(4e9);
  expect(monitor.summary()?.inUseBytes).toBeGreaterThan(20e9);
  expect(engine.released).toEqual([]);
  // What the user frees by unloading it, and the most that was in use, count the GPU as well.
  await host.lifecycle.unload('user');
  expect(monitor.current.inUseBytes).toBeLessThan(4e9);
  expect(monitor.current.peakBytes).toBeGreaterThan(20e9);
});

it('collects garbage once after a minute without a request', async () => {
  await vi.advanceTimersByTimeAsync(0.9 * MINUTE);
  expect(collections).toBe(0);
  await vi.advanceTimersByTimeAsync(0.3 * MINUTE);
  expect(collections).toBe(1);
  await vi.advanceTimersByTimeAsync(10 * MINUTE);
  expect(collections).toBe(1);
  await host.client.generate({ prompt: ['a'], maxTokens: 1 }, () => undefined, new AbortController().signal);
  await vi.advanceTimersByTimeAsync(0.9 * MINUTE);
  expect(collections).toBe(1);
  await vi.advanceTimersByTimeAsync(0.3 * MINUTE);
  expect(collections).toBe(2);
});

it('keeps running if the system cannot be read', async () => {
  monitor.dispose();
  const warnings: string[] = [];
  monitor = new MemoryMonitor(host, chatHost, {
    settings: () => settings,
    machineBytes: 16e9,
    hasOwnMemory: () => false,
    senses: { readPressure: () => Promise.reject(new Error('No sense')), readOnBattery: async () => false },
    collectGarbage: () => undefined,
    kept: () => [],
    registry: new WindowRegistry(null, SILENT),
    log: { ...SILENT, warn: (message) => warnings.push(message) },
  });
  await vi.advanceTimersByTimeAsync(MINUTE);
  expect(warnings.length).toBeGreaterThan(1);
});

describe('with a model for chat alone', () => {
  beforeEach(async () => {
    chatEngine.holdsMegabytes = 100;
    chatHost.lifecycle.want({ path: '/chat.gguf' });
    await vi.advanceTimersByTimeAsync(1);
    chatEngine.finishLoad();
    await vi.advanceTimersByTimeAsync(1);
  });

  it('counts both, by name', () => {
    const alone = chatEngine.memory().totalBytes;
    expect(monitor.summary()?.chatModel).toEqual({ name: 'Scripted', bytes: alone });
    expect(monitor.summary()?.inUseBytes).toBeGreaterThanOrEqual(alone + engine.memory().totalBytes);
  });

  it('unloads each after no use', async () => {
    settings = { ...settings, unloadAfterMinutes: 5 };
    monitor.reconsider();
    await vi.advanceTimersByTimeAsync(4 * MINUTE);
    host.lifecycle.wake(false);
    await vi.advanceTimersByTimeAsync(2 * MINUTE);
    expect(chatHost.lifecycle.state).toEqual({ kind: 'unloaded', reason: 'idle' });
    expect(host.lifecycle.state.kind).toBe('ready');
    expect(monitor.summary()?.chatModel).toBeNull();
  });

  it('frees everything of the chat model first while memory is short', async () => {
    pressure = 'critical';
    await vi.advanceTimersByTimeAsync(9_000);
    expect(chatHost.lifecycle.state).toEqual({ kind: 'unloaded', reason: 'memoryPressure' });
    expect(host.lifecycle.state.kind).toBe('ready');
    await vi.advanceTimersByTimeAsync(MINUTE);
    expect(host.lifecycle.state).toEqual({ kind: 'unloaded', reason: 'memoryPressure' });
    pressure = 'none';
    await vi.advanceTimersByTimeAsync(MINUTE);
    expect(chatHost.lifecycle.state).toEqual({ kind: 'unloaded', reason: 'idle' });
  });

  it('keeps its conversations while they are in use, and frees them for the budget afterwards', async () => {
    settings = { ...settings, memoryBudgetGb: 0.1 };
    await vi.advanceTimersByTimeAsync(MINUTE);
    expect(chatEngine.released).toEqual(['checkpoints', 'swapped', 'completion']);
    expect(chatHost.lifecycle.state.kind).toBe('ready');
  });
});
