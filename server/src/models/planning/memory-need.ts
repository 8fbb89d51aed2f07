import type { MemoryFit } from '../../../protocol/index.js';
import type { LoadRequest } from '../../engine/port/engine.js';
import { memoryBudget, ROOM_TO_WORK } from '../../memory/memory-budget.js';
import type { CatalogueEntry } from '../catalogue/catalogue.js';
import type { GgufHeader } from '../gguf/gguf-header.js';

/** Without a setting, the engine takes the model's own length up to this. Only fast machines make longer prompts. */
const DEFAULT_CONTEXT_LENGTH = 8192;

const MIB = 2 ** 20;

/** Rows of logits and activations, scratch buffers, the vocabulary index and the process itself. */
const FIXED_BYTES = 192 * MIB;

/** Compute buffers, graphs, logits and states of models up to some ten billion parameters. */
const AMPLE_FIXED_BYTES = 1024 * MIB;

/**
 * The engine's own choice.
 *
 * @param requested tokens; 0 leaves it to the engine
 */
export function defaultContextLength({ trainingContextLength }: GgufHeader, requested: number): number {
  if (requested > 0) return requested;
  return trainingContextLength > 0 ? Math.min(trainingContextLength, DEFAULT_CONTEXT_LENGTH) : DEFAULT_CONTEXT_LENGTH;
}

/** The completion slot's: what suggestions take, within what the model was trained on, unless the user set a length. */
export function completionContextLength(header: GgufHeader, loadRequest: LoadRequest): number {
  const { contextLength = 0, suggestionTokens = 0 } = loadRequest;
  if (contextLength > 0 || suggestionTokens === 0) return defaultContextLength(header, contextLength);
  const trained = header.trainingContextLength > 0 ? header.trainingContextLength : DEFAULT_CONTEXT_LENGTH;
  return Math.min(suggestionTokens, trained, header.trainedLength ?? trained);
}

/**
 * For a file that is still downloading, which the engine cannot estimate: the file's weights, a KV cache of 16-bit
 * elements, and a fixed amount.
 */
export function estimateFromHeader(header: GgufHeader, contextTokens: number): number {
  const { kvElementsPerToken, tensorBytes } = header;
  return tensorBytes + contextTokens * kvElementsPerToken * 2 + FIXED_BYTES;
}

/** More than a load can take with both slots in use and all caches full: if this fits, no estimate is needed. */
export function ampleBytes(header: GgufHeader, loadRequest: LoadRequest): number {
  const { chatContextLength = 0 } = loadRequest;
  const tokens = completionContextLength(header, loadRequest) + defaultContextLength(header, chatContextLength);
  const { tensorBytes, kvElementsPerToken } = header;
  const caches = 2 * clamp(tensorBytes / 8, 64 * MIB, 1024 * MIB) + clamp(tensorBytes / 4, 64 * MIB, 2048 * MIB);
  return tensorBytes * 1.5 + tokens * kvElementsPerToken * 4 + caches + AMPLE_FIXED_BYTES;
}

/** The approximate need of a file that is not here yet. */
export function estimateFromClass({ fileBytes }: CatalogueEntry): number {
  return fileBytes * 1.08 + FIXED_BYTES;
}

/** The limits for a model. */
export interface MemoryLimits {
  readonly machineBytes: number;
  /** What a GPU with memory of its own adds for this model; absent for nothing. */
  readonly deviceBytes?: number;
  /** What a GPU may take of the machine's memory, and the server besides; absent or null for no such limit. */
  readonly workingSetBytes?: number | null;
  /** The user's setting; 0 chooses. */
  readonly budgetBytes: number;
}

/** @param memoryBytes of this server in total */
export function fitOf(memoryBytes: number, limits: MemoryLimits): MemoryFit {
  const { machineBytes, deviceBytes = 0, workingSetBytes, budgetBytes } = limits;
  const allBytes = machineBytes + deviceBytes;
  const most = Math.min(memoryBudget(budgetBytes, allBytes, memoryBytes), workingSetBytes ?? Number.POSITIVE_INFINITY);
  if (memoryBytes > most) return 'tooLarge';
  const comfortable = memoryBudget(budgetBytes, allBytes, 0) / (budgetBytes > 0 ? ROOM_TO_WORK : 1);
  return memoryBytes <= comfortable ? 'comfortable' : 'tight';
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(Math.max(value, least), most);
}
