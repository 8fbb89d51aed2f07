import { basename } from 'node:path';
import type { EngineErrorInfo, ModelOffer, ModelSource } from '../../protocol/index.js';
import { architectureKind } from './architectures.js';
import type { CatalogueEntry } from './catalogue.js';
import type { GgufHeader } from './gguf-header.js';
import { estimateFromClass, fitOf } from './memory-need.js';

/** What is known of a file besides its header. */
export interface FileOnDisk {
  readonly source: ModelSource;
  /** What its owner calls it; null where its header's name has to do. */
  readonly name: string | null;
  readonly header: GgufHeader;
  /** What it takes to run it. */
  readonly memoryBytes: number;
}

export function offerForFile(file: FileOnDisk, machineBytes: number): ModelOffer {
  const { source, header, memoryBytes } = file;
  const [path = ''] = header.paths;
  const fit = fitOf(memoryBytes, machineBytes);
  const { fileBytes, architecture, quantization, parameterCount, activeParameterCount, fim, mtp, chat } = header;
  const offer: ModelOffer = {
    id: source === 'starter' ? 'starter' : path,
    source,
    name: file.name ?? header.name,
    path,
    paths: header.paths,
    download: null,
    fileBytes,
    memoryBytes,
    fit,
    capabilities: { fim, mtp, chat },
    architecture,
    quantization,
    parameterCount,
    activeParameterCount,
    refusal: null,
  };
  return { ...offer, refusal: refusalOf(offer, machineBytes) };
}

export function offerForEntry(entry: CatalogueEntry, machineBytes: number): ModelOffer {
  const { id, name, repository, quantization, architecture, capabilities, parameterCount, activeParameterCount } =
    entry;
  const memoryBytes = estimateFromClass(entry);
  const offer: ModelOffer = {
    id: `catalogue:${id}`,
    source: 'catalogue',
    name,
    path: null,
    paths: [],
    download: { repository, quantization },
    fileBytes: null,
    memoryBytes,
    fit: fitOf(memoryBytes, machineBytes),
    capabilities,
    architecture,
    quantization,
    parameterCount,
    activeParameterCount,
    refusal: null,
  };
  return { ...offer, refusal: refusalOf(offer, machineBytes) };
}

/** Why this model cannot complete code on this machine, in words for the user. */
function refusalOf(offer: ModelOffer, machineBytes: number): EngineErrorInfo | null {
  const name = offer.path === null ? offer.name : basename(offer.path);
  switch (architectureKind(offer.architecture ?? '')) {
    case 'unknown':
      return {
        code: 'unsupportedModel',
        message: `${name} has the architecture '${offer.architecture}', which this engine does not know`,
      };
    case 'otherKind':
      return {
        code: 'unsupportedModel',
        message: `${name} (${offer.architecture}) is not a text decoder; it cannot complete code`,
      };
    case 'decoder':
      break;
  }
  if (!offer.capabilities.fim) {
    return {
      code: 'noFimTokens',
      message: `${name} has no fill-in-the-middle tokens, so it cannot complete code between a prefix and a suffix`,
    };
  }
  if (offer.fit === 'tooLarge') {
    const numbers = `about ${gigabytes(offer.memoryBytes)} of the ${gigabytes(machineBytes)} that this machine has`;
    return { code: 'outOfMemory', message: `${name} needs more memory than there is: ${numbers}` };
  }
  return null;
}

function gigabytes(bytes: number): string {
  return `${(bytes / 1e9).toFixed(1)} GB`;
}
