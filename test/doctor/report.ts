import { readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type {
  NativeAddon,
  NativeGenerationMetrics,
  NativeMemoryEstimate,
  NativeMemoryReport,
  NativeModelFacts,
} from '../../server/src/engine/addon-types.js';
import { memoryBudget } from '../../server/src/memory/memory-budget.js';
import { fitOf } from '../../server/src/models/memory-need.js';
import { REPOSITORY_ROOT } from '../support/source-tree.js';

export interface Section {
  readonly title: string;
  /** Names with their values. */
  readonly lines: readonly (readonly [string, string])[];
}

export function describeMachine(): Section {
  const processors = os.cpus();
  const model = processors[0]?.model.trim();
  return {
    title: 'Machine',
    lines: [
      ['system', `${os.type()} ${os.release()}, ${process.platform}-${process.arch}`],
      ['processor', `${model || 'unknown'}, ${os.availableParallelism()} logical cores`],
      ['memory', `${gigabytes(os.totalmem())}, ${gigabytes(process.availableMemory())} available`],
    ],
  };
}

/** @param runnable the instruction sets that this processor can run; an empty name stands for the one binary */
export function describeBuild({ llamaVersion, flavour }: NativeAddon, runnable: readonly string[]): Section {
  const manifest = JSON.parse(readFileSync(path.join(REPOSITORY_ROOT, 'package.json'), 'utf8'));
  const choices = runnable.filter((name) => name !== '');
  return {
    title: 'Build',
    lines: [
      ['Inkling', String(manifest.version)],
      ['Node', process.version],
      ['llama.cpp', llamaVersion],
      ['CPU flavour', choices.length === 0 ? flavour : `${flavour}, of ${choices.join(', ')}`],
    ],
  };
}

export function describeModel(facts: NativeModelFacts, { exactRows }: NativeGenerationMetrics): Section {
  const { name, architecture, quantization, parameterCount, layerCount, mtpLayerCount } = facts;
  return {
    title: 'Model and engine',
    lines: [
      ['model', `${name} (${architecture}, ${quantization}), ${Math.round(parameterCount / 1e6)} million parameters`],
      ['file', facts.path],
      ['layers', `${layerCount}, and ${mtpLayerCount} for drafts (MTP)`],
      ['attention', facts.recurrent ? 'not in every layer: some are recurrent' : 'in every layer'],
      ['context', `${facts.contextLength} tokens; chat ${facts.chatContextLength}`],
      ['full context', facts.canShiftContext ? 'can forget its oldest part' : 'ends an answer'],
      ['backend', facts.backend],
      ['threads', String(facts.threads)],
      ['exact rows', exactRows === 0 ? 'not known' : `${exactRows} (batches of so many tokens equal single ones)`],
    ],
  };
}

export function describeMemory(memory: NativeMemoryReport): Section {
  return {
    title: 'Memory',
    lines: [
      ['weights', megabytes(memory.weightsBytes + memory.mtpWeightsBytes)],
      ['vocabulary', megabytes(memory.vocabularyBytes)],
      ['context', megabytes(memory.contextBytes)],
      ['compute', megabytes(memory.computeBytes + memory.graphBytes + memory.outputBytes)],
      ['caches', megabytes(memory.checkpointBytes + memory.swappedBytes)],
      ['all parts', megabytes(memory.totalBytes)],
      ['process', `${megabytes(memory.processRssBytes)} resident, at most ${megabytes(memory.peakRssBytes)}`],
    ],
  };
}

/** What a load would take here; the server refuses one that does not fit. */
export function describeFit({ neededBytes, chatSlotBytes, availableBytes }: NativeMemoryEstimate): Section {
  const machineBytes = os.totalmem();
  const budget = memoryBudget(0, machineBytes, neededBytes);
  const fit = fitOf(neededBytes, { machineBytes, budgetBytes: 0 });
  return {
    title: 'Fit',
    lines: [
      ['the model needs', `${megabytes(neededBytes)}, and ${megabytes(chatSlotBytes)} for chat`],
      ['budget here', `${gigabytes(budget)} of ${gigabytes(machineBytes)}: ${FIT_WORDS[fit]}`],
      ['to spare now', availableBytes === 0 ? 'not known' : gigabytes(availableBytes)],
    ],
  };
}

const FIT_WORDS = { comfortable: 'it fits', tight: 'it fits, with little room', tooLarge: 'it does not fit' } as const;

/** On Metal, a device's memory is its recommended working set. */
export function describeDevices({ devices }: NativeMemoryReport): Section {
  return {
    title: 'Devices',
    lines: devices.map(({ name, totalBytes, freeBytes, weightsBytes, contextBytes, computeBytes }) => [
      name,
      `${gigabytes(totalBytes)}, ${gigabytes(freeBytes)} free; holds ${megabytes(weightsBytes + contextBytes + computeBytes)}`,
    ]),
  };
}

export const REPORTING = `
To report a problem, add all of the above, the text of the command "Inkling: Show Log", the steps, and the shortest code
that shows it. Remove what is private: the log names files, and holds code if inkling.trace.server is on.`;

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

function gigabytes(bytes: number): string {
  return `${(bytes / 1e9).toFixed(1)} GB`;
}
