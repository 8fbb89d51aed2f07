import type { MemoryFit } from '../../protocol/index.js';
import type { CatalogueEntry } from './catalogue.js';
import type { GgufHeader } from './gguf-header.js';

/**
 * The bytes that a model takes with a context of so many tokens; 0 leaves the length to the engine. The check of a single
 * model asks this; lists of many take `estimateFromHeader`, which costs nothing.
 */
export type EstimateMemory = (header: GgufHeader, contextLength: number) => Promise<number>;

/** Where the user leaves the choice, the engine takes the model's own length up to this. */
const DEFAULT_CONTEXT_LENGTH = 8192;

/** Rows of logits and activations, scratch buffers, the vocabulary's index and the process itself. */
const FIXED_BYTES = 192 * 2 ** 20;

/** Parts of the machine's memory: an editor, a browser and a build want the rest. */
const COMFORTABLE_SHARE = 0.55;
const LARGEST_SHARE = 0.85;

const BITS_PER_WEIGHT: readonly (readonly [pattern: RegExp, bits: number])[] = [
  [/F32/i, 32],
  [/B?F16/i, 16],
  [/Q8/i, 8.5],
  [/Q6/i, 6.6],
  [/Q5/i, 5.7],
  [/Q4|MXFP4|NVFP4/i, 4.9],
  [/Q3/i, 3.9],
  [/Q2|Q1/i, 3],
];
const UNKNOWN_BITS_PER_WEIGHT = 8.5;

/** Weights as they lie in the file, a KV cache of 16-bit elements, and what every model takes. */
export function estimateFromHeader(header: GgufHeader, contextLength: number): number {
  const { trainingContextLength, kvElementsPerToken, tensorBytes } = header;
  const chosen =
    trainingContextLength > 0 ? Math.min(trainingContextLength, DEFAULT_CONTEXT_LENGTH) : DEFAULT_CONTEXT_LENGTH;
  const tokens = contextLength > 0 ? contextLength : chosen;
  return tensorBytes + tokens * kvElementsPerToken * 2 + checkpointBytes(header.recurrent, tensorBytes) + FIXED_BYTES;
}

/** From the name's promises alone: what a file that nobody has seen yet will roughly need. */
export function estimateFromClass(entry: CatalogueEntry): number {
  const bits = BITS_PER_WEIGHT.find(([pattern]) => pattern.test(entry.quantization))?.[1] ?? UNKNOWN_BITS_PER_WEIGHT;
  const weights = (entry.parameterCount * bits) / 8;
  return weights * 1.08 + FIXED_BYTES;
}

/** The engine keeps copies of recurrent state in an eighth of the weights, 64 MiB to 1 GiB. */
function checkpointBytes(recurrent: boolean, tensorBytes: number): number {
  return recurrent ? Math.min(Math.max(tensorBytes / 8, 64 * 2 ** 20), 2 ** 30) : 0;
}

export function fitOf(memoryBytes: number, machineBytes: number): MemoryFit {
  if (memoryBytes <= machineBytes * COMFORTABLE_SHARE) return 'comfortable';
  return memoryBytes <= machineBytes * LARGEST_SHARE ? 'tight' : 'tooLarge';
}
