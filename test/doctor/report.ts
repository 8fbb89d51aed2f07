import { readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type {
  NativeAddon,
  NativeGenerationMetrics,
  NativeMemoryReport,
  NativeModelFacts,
} from '../../server/src/engine/addon-types.js';
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
      ...memory.devices.map(
        ({ name, totalBytes, freeBytes }) =>
          [`device ${name}`, `${gigabytes(totalBytes)}, ${gigabytes(freeBytes)} free`] as const,
      ),
    ],
  };
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

function gigabytes(bytes: number): string {
  return `${(bytes / 1e9).toFixed(1)} GB`;
}
