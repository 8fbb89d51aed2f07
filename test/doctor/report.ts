import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type {
  NativeAddon,
  NativeGenerationMetrics,
  NativeMemoryEstimate,
  NativeMemoryReport,
  NativeModelFacts,
} from '../../server/src/engine/addon/addon-types.js';
import type { GpuDevice, Trial } from '../../server/src/engine/devices/gpu-device.js';
import type { ProbeResult } from '../../server/src/engine/devices/probe-devices.js';
import { quantizationName } from '../../server/src/engine/port/quantization-name.js';
import { memoryBudget } from '../../server/src/memory/memory-budget.js';
import { thisMachine } from '../../server/src/models/discovery/this-machine.js';
import { fitOf } from '../../server/src/models/planning/memory-need.js';
import { REPOSITORY_ROOT } from '../support/source-tree.js';
import type { Lister } from './devices.js';

export interface Section {
  readonly title: string;
  /** Names with their values. */
  readonly lines: readonly (readonly [string, string])[];
}

export function describeMachine(): Section {
  const processors = os.cpus();
  const model = processors[0]?.model.trim();
  // A container may have less than the machine.
  const { memoryBytes } = thisMachine(process.env);
  return {
    title: 'Machine',
    lines: [
      ['system', `${os.type()} ${os.release()}, ${process.platform}-${process.arch}`],
      ['processor', `${model || 'unknown'}, ${os.availableParallelism()} logical cores`],
      ['memory', `${gigabytes(memoryBytes)}, ${gigabytes(process.availableMemory())} available`],
    ],
  };
}

/** @param runnable the instruction sets that this processor can run; an empty name stands for the one binary */
export function describeBuild({ llamaVersion, flavour }: NativeAddon, runnable: readonly string[]): Section {
  const manifest = JSON.parse(readFileSync(path.join(REPOSITORY_ROOT, 'package.json'), 'utf8'));
  const commit = spawnSync('git', ['describe', '--always', '--dirty'], { cwd: REPOSITORY_ROOT, encoding: 'utf8' });
  const choices = runnable.filter((name) => name !== '');
  return {
    title: 'Build',
    lines: [
      [
        'Inkling',
        `${manifest.version}, ${commit.status === 0 ? `commit ${commit.stdout.trim()}` : 'commit not known'}`,
      ],
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
      [
        'model',
        `${name} (${architecture}, ${quantizationName(quantization)}), ${Math.round(parameterCount / 1e6)} million parameters`,
      ],
      ['file', `${path.basename(facts.path)}, ${megabytes(facts.fileBytes)}`],
      ['layers', `${layerCount}, and ${mtpLayerCount} for drafts (MTP)`],
      ['attention', facts.recurrent ? 'not in every layer: some are recurrent' : 'in every layer'],
      ['context', `${facts.contextLength} tokens; chat ${facts.chatContextLength}`],
      ['full context', facts.canShiftContext ? 'can forget its oldest part' : 'ends an answer'],
      ['backend', facts.backend],
      ['threads', String(facts.threads)],
      [
        'exact rows',
        exactRows === 0 ? 'not known' : `${exactRows} (batches of up to so many tokens equal single ones)`,
      ],
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
      [
        'process',
        `${megabytes(memory.processRssBytes)} resident, at most ${megabytes(Math.max(memory.peakRssBytes, memory.processRssBytes))}`,
      ],
    ],
  };
}

/** What the probe found, and how each device did in its trial against the processor; or why there is none. */
export function describeDevices({ devices, problem }: ProbeResult, lister: Lister): Section {
  const lines = devices.map(({ id, name, driver, kind, totalBytes, freeBytes, trial }) => {
    const memory = `${gigabytes(totalBytes)}, ${gigabytes(freeBytes)} free`;
    return [id, `${name} (${kind}, ${driver}), ${memory}: ${describeTrial(trial)}`] as const;
  });
  const ofProbe = problem === null ? [] : [['the probe', problem] as const];
  const none = [['GPUs', NO_DEVICE[lister]] as const];
  return { title: 'Devices', lines: lines.length + ofProbe.length === 0 ? none : [...lines, ...ofProbe] };
}

const NO_DEVICE: Readonly<Record<Lister, string>> = {
  vulkan: 'none: no driver of Vulkan shows one to this user',
  none: 'none: this build has no Vulkan flavour',
  engine: 'those of "Memory of devices", below',
};

function describeTrial(trial: Trial): string {
  switch (trial.kind) {
    case 'works':
      return `${trial.deviceMs.toFixed(1)} ms for what takes the processor ${trial.cpuMs.toFixed(1)} ms`;
    case 'failed':
      return trial.reason;
    case 'untried':
      return 'used only if the settings name it';
  }
}

/**
 * What a load would take here; the server refuses one that does not fit.
 *
 * @param device that the model is loaded onto; null for the processor, or the one GPU of its build
 */
export function describeFit(estimate: NativeMemoryEstimate, device: GpuDevice | null): Section {
  const { neededBytes, chatSlotBytes, availableBytes, deviceFreeBytes } = estimate;
  const { memoryBytes: machineBytes } = thisMachine(process.env);
  const deviceBytes = device?.kind === 'discrete' ? deviceFreeBytes : 0;
  const workingSetBytes =
    device === null && process.platform === 'darwin' && deviceFreeBytes > 0 ? deviceFreeBytes : null;
  const budget = Math.min(
    memoryBudget(0, machineBytes + deviceBytes, neededBytes),
    workingSetBytes ?? Number.POSITIVE_INFINITY,
  );
  const fit = fitOf(neededBytes, { machineBytes, deviceBytes, workingSetBytes, budgetBytes: 0 });
  const all = `${gigabytes(machineBytes)}${deviceBytes > 0 ? ` and ${gigabytes(deviceBytes)} on ${device?.name}` : ''}`;
  return {
    title: 'Fit',
    lines: [
      ['the model needs', `${megabytes(neededBytes)}, and ${megabytes(chatSlotBytes)} for chat`],
      ['budget here', `${gigabytes(budget)} of ${all}: ${FIT_WORDS[fit]}`],
      ['to spare now', availableBytes === 0 ? 'not known' : gigabytes(availableBytes)],
    ],
  };
}

const FIT_WORDS = { comfortable: 'it fits', tight: 'it fits, with little room', tooLarge: 'it does not fit' } as const;

/** On Metal, a device's memory is the part of the machine's that it may use: the recommended working set. */
export function describeDeviceMemory({ devices }: NativeMemoryReport, backend: string): Section {
  return {
    title: 'Memory of devices',
    lines: devices.map(({ name, totalBytes, freeBytes, weightsBytes, contextBytes, computeBytes }) => {
      const held = `holds ${megabytes(weightsBytes + contextBytes + computeBytes)}`;
      // ggml calls all of the machine's memory free; the section Machine has what is.
      if (name === 'CPU') return [name, held];
      const all = `${backend === 'Metal' ? 'working set ' : ''}${gigabytes(totalBytes)}`;
      return [name, `${all}, ${gigabytes(freeBytes)} free; ${held}`];
    }),
  };
}

/** People paste what the doctor prints, and a home folder is named after its user. */
export function withoutHome(text: string, home: string): string {
  return home.length > 1 ? text.replaceAll(home, '~') : text;
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
