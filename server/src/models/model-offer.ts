import { basename } from 'node:path';
import {
  type EngineErrorInfo,
  formatFileSize,
  formatLargerSize,
  type MemoryFit,
  type ModelOffer,
  type ModelSource,
  t,
} from '../../protocol/index.js';
import { limitsMemory } from '../memory/memory-budget.js';
import { formatOfModel } from '../next-edit/formats/format-of-model.js';
import type { CatalogueEntry } from './catalogue/catalogue.js';
import { isFimTrained } from './catalogue/fim-training.js';
import { architectureKind, type ModelKind, modelKind } from './gguf/architectures.js';
import type { GgufHeader } from './gguf/gguf-header.js';
import type { Planned, TooLarge } from './planning/load-planner.js';
import { estimateFromClass, fitOf, type MemoryLimits } from './planning/memory-need.js';
import type { PredictSpeed } from './speed/predicted-speed.js';

/** The facts of a file besides its header. */
export interface FileOnDisk {
  readonly source: ModelSource;
  /** The owner's name for it; null to use the header's name. */
  readonly name: string | null;
  readonly header: GgufHeader;
  readonly need: MemoryNeed;
}

/** A file's need of memory, with its origin. */
export type MemoryNeed =
  | Planned
  /** The engine could not be asked. */
  | { readonly kind: 'guess'; readonly memoryBytes: number }
  /** The engine cannot read the file. */
  | { readonly kind: 'unloadable'; readonly memoryBytes: number; readonly error: EngineErrorInfo };

export function offerForFile(
  { source, name, header, need }: FileOnDisk,
  limits: MemoryLimits,
  predict: PredictSpeed,
): ModelOffer {
  const [path = ''] = header.paths;
  const { memoryBytes } = need;
  const { fileBytes, architecture, quantization, parameterCount, activeParameterCount, fim, mtp, chat } = header;
  const nextEdits = formatOfModel({ name: header.name, path, nextEditFormat: header.nextEditFormat }) !== null;
  // It may have the name of the model that it was trained from, further and for edits only.
  const isForEdits = nextEdits && header.nextEditFormat === null;
  const offer: ModelOffer = {
    id: source === 'starter' ? 'starter' : path,
    source,
    name: name ?? header.name,
    path,
    paths: header.paths,
    download: null,
    fileBytes,
    memoryBytes,
    fit: fitOfNeed(need, limits),
    capabilities: { fim, mtp, chat },
    architecture,
    quantization,
    parameterCount,
    activeParameterCount,
    fimTrained: fim && !isForEdits && isFimTrained([header.name, basename(path)]),
    nextEdits,
    speed: predict({ path, work: header.work, longestPrompt: header.trainedLength }),
    refusal: null,
  };
  return { ...offer, refusal: refusalOf(offer, modelKind(header), need, limits) };
}

/** A model for which a plan fits is at most tight, whatever its size suggests. */
function fitOfNeed({ kind, memoryBytes }: MemoryNeed, limits: MemoryLimits): MemoryFit {
  if (kind === 'tooLarge') return 'tooLarge';
  const fit = fitOf(memoryBytes, limits);
  return kind === 'fits' && fit === 'tooLarge' ? 'tight' : fit;
}

export function offerForEntry(entry: CatalogueEntry, limits: MemoryLimits, predict: PredictSpeed): ModelOffer {
  const { id, name, repository, file, fileBytes, quantization, architecture, capabilities } = entry;
  const { parameterCount, activeParameterCount } = entry;
  const memoryBytes = estimateFromClass(entry);
  const work = {
    decodeBytes: (fileBytes * activeParameterCount) / parameterCount,
    prefillParameters: activeParameterCount,
    slowPrefill: entry.slowPrefill,
  };
  const offer: ModelOffer = {
    id: `catalogue:${id}`,
    source: 'catalogue',
    name,
    path: null,
    paths: [],
    download: { repository, file },
    fileBytes,
    memoryBytes,
    fit: fitOf(memoryBytes, limits),
    capabilities,
    architecture,
    quantization,
    parameterCount,
    activeParameterCount,
    fimTrained: isFimTrained([name]),
    nextEdits: formatOfModel({ name: repository, path: file, nextEditFormat: null }) !== null,
    speed: predict({ path: null, work, longestPrompt: null }),
    refusal: null,
  };
  const guess = { kind: 'guess', memoryBytes } as const;
  return { ...offer, refusal: refusalOf(offer, architectureKind(architecture), guess, limits) };
}

/** Of the starter model whose file is missing or damaged: everything else of it is unknown. */
export function offerForLostStarter(path: string, { code, message }: EngineErrorInfo): ModelOffer {
  const isMissing = code === 'fileNotFound';
  return {
    id: 'starter',
    source: 'starter',
    name: t('Starter model'),
    path,
    paths: [path],
    download: null,
    fileBytes: 0,
    memoryBytes: 0,
    fit: 'comfortable',
    capabilities: { fim: false, mtp: false, chat: false },
    architecture: null,
    quantization: '',
    parameterCount: 0,
    activeParameterCount: 0,
    fimTrained: false,
    nextEdits: false,
    speed: { tokensPerSecond: 0, promptSeconds: 0, basis: 'assumed', atLeast: null },
    refusal: { code, message: isMissing ? t('Its file is missing. Install Inkling again') : message },
  };
}

/** Why this model cannot complete code on this machine, as a message for the user. */
function refusalOf(offer: ModelOffer, kind: ModelKind, need: MemoryNeed, limits: MemoryLimits): EngineErrorInfo | null {
  const name = offer.path === null ? offer.name : basename(offer.path);
  switch (kind) {
    case 'unknown':
      return {
        code: 'unsupportedModel',
        message: t("{0} has the architecture '{1}', which Inkling does not support", name, offer.architecture ?? ''),
      };
    case 'otherKind':
      return {
        code: 'unsupportedModel',
        message: t('{0} ({1}) cannot complete code: it is not a text decoder', name, offer.architecture ?? ''),
      };
    case 'embedding':
      return {
        code: 'unsupportedModel',
        message: t('{0} is an embedding model: it compares texts and writes none. Choose a code model', name),
      };
    case 'reranker':
      return {
        code: 'unsupportedModel',
        message: t('{0} is a reranker: it scores texts and writes none. Choose a code model', name),
      };
    case 'decoder':
      break;
  }
  if (!offer.capabilities.fim) {
    return {
      code: 'noFimTokens',
      message: t('{0} cannot complete code: it has no fill-in-the-middle tokens', name),
    };
  }
  if (need.kind === 'unloadable') return need.error;
  return offer.fit === 'tooLarge' ? { code: 'outOfMemory', message: shortage(name, need, limits) } : null;
}

function shortage(name: string, need: MemoryNeed, limits: MemoryLimits): string {
  const isByBudget = need.kind !== 'tooLarge' || need.limitedBy === 'budget';
  const bytes = formatLargerSize(need.memoryBytes, isByBudget ? limits.budgetBytes : need.limitBytes);
  return need.kind === 'tooLarge'
    ? beyondLimit(t('{0} needs about {1} with a context of {2} tokens', name, bytes, need.contextLength), need, limits)
    : beyondLimit(t('{0} needs about {1}', name, bytes), null, limits);
}

/**
 * @param needs the model's need, in words
 * @param planned null if the engine could not be asked
 */
export function beyondLimit(
  needs: string,
  planned: TooLarge | null,
  { machineBytes, deviceBytes = 0, workingSetBytes, budgetBytes }: MemoryLimits,
): string {
  const byUser = limitsMemory(budgetBytes, machineBytes + deviceBytes);
  const limitedBy = planned?.limitedBy ?? (byUser ? 'budget' : 'machine');
  switch (limitedBy) {
    case 'budget':
      return t('{0}, more than the memory budget of {1}', needs, formatFileSize(budgetBytes));
    case 'machine': {
      const machine = formatFileSize(machineBytes);
      return deviceBytes > 0
        ? t('{0}, too much for this machine with {1} and {2} on its GPU', needs, machine, formatFileSize(deviceBytes))
        : t('{0}, too much for this machine with {1}', needs, machine);
    }
    case 'workingSet': {
      const most = formatFileSize(planned?.limitBytes ?? workingSetBytes ?? 0);
      return t('{0}, more than the {1} that the GPU of this machine may use', needs, most);
    }
    case 'available':
      return t('{0}, more than the {1} free now', needs, formatFileSize(planned?.limitBytes ?? 0));
  }
}
