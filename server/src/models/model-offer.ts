import { basename } from 'node:path';
import { type EngineErrorInfo, formatNumber, type ModelOffer, type ModelSource, t } from '../../protocol/index.js';
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
        message: t("{0} has the architecture '{1}', which this engine does not know", name, offer.architecture ?? ''),
      };
    case 'otherKind':
      return {
        code: 'unsupportedModel',
        message: t('{0} ({1}) is not a text decoder; it cannot complete code', name, offer.architecture ?? ''),
      };
    case 'decoder':
      break;
  }
  if (!offer.capabilities.fim) {
    return {
      code: 'noFimTokens',
      message: t(
        '{0} has no fill-in-the-middle tokens, so it cannot complete code between a prefix and a suffix',
        name,
      ),
    };
  }
  if (offer.fit === 'tooLarge') {
    const message = t(
      '{0} needs more memory than there is: about {1} of the {2} that this machine has',
      name,
      gigabytes(offer.memoryBytes),
      gigabytes(machineBytes),
    );
    return { code: 'outOfMemory', message };
  }
  return null;
}

function gigabytes(bytes: number): string {
  return `${formatNumber(bytes / 1e9, 1)} GB`;
}
