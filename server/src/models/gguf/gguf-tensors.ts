import { t } from '../../../protocol/index.js';
import { GgufDamage, type GgufReader } from './gguf-reader.js';
import { TENSOR_TYPES } from './gguf-types.js';

/** Sums over the tensors of a file. */
export interface TensorSummary {
  readonly tensorBytes: number;
  readonly parameterCount: number;
  /** The part of `parameterCount` that belongs to one of several experts. */
  readonly expertParameterCount: number;
  /** Elements of the K and V caches for each token of context. */
  readonly kvElementsPerToken: number;
  readonly hasRecurrentState: boolean;
  readonly hasMtpBlock: boolean;
  /** Weights of the layers that every token passes: without the tables of tokens and the MTP block. */
  readonly layers: WeightSum;
  /** The part of `layers` that belongs to one of several experts. */
  readonly experts: WeightSum;
  /** The output head; the table of tokens where that is the head too. */
  readonly headBytes: number;
  /** Name of the type with the most bytes; null without tensors. */
  readonly dominantType: string | null;
  /** End of the last tensor, counted from the start of the tensor data. */
  readonly dataBytes: number;
}

export interface WeightSum {
  readonly bytes: number;
  readonly parameters: number;
  /** The part of `parameters` whose type has kernels for whole batches (native/kernels). */
  readonly fastParameters: number;
}

const NO_WEIGHTS: WeightSum = { bytes: 0, parameters: 0, fastParameters: 0 };

/** The types of Q4_K_M, where the rows of a matrix have a length that allows them. */
const FAST_TYPES: ReadonlySet<string> = new Set(['Q4_K', 'Q6_K']);

const MAX_TENSORS = 1_000_000;
const MAX_DIMENSIONS = 4;
/** The format allows 64. */
const MAX_NAME_BYTES = 1024;

/** Tables of tokens: the one in front gives a row for each token, the one at the end is the output head. */
const TOKEN_TABLE = 'token_embd.weight';
const HEAD = 'output.weight';

/** Attention layers by their projections, whose rows determine the cache's size. */
const KV_PROJECTION = /\.attn_(k|v|kv_a_mqa)\.weight$/;

export async function readTensors(reader: GgufReader, tensorCount: number): Promise<TensorSummary> {
  if (tensorCount > MAX_TENSORS) throw new GgufDamage(t('{0} tensors are too many', tensorCount));
  const bytesByType = new Map<string, number>();
  let parameterCount = 0;
  let expertParameterCount = 0;
  let kvElementsPerToken = 0;
  let tensorBytes = 0;
  let dataBytes = 0;
  let hasRecurrentState = false;
  const blocks = new Map<string, { readonly all: WeightSum; readonly experts: WeightSum }>();
  const draftBlocks = new Set<string>();
  const tables = new Map<string, number>();
  for (let tensor = 0; tensor < tensorCount; tensor += 1) {
    const name = await reader.string(MAX_NAME_BYTES);
    const dimensionCount = await reader.readU32();
    if (dimensionCount > MAX_DIMENSIONS) throw new GgufDamage(t('tensor {0} has {1} dimensions', name, dimensionCount));
    await reader.need(dimensionCount * 8 + 4 + 8);
    const dimensions = Array.from({ length: dimensionCount }, () => reader.count());
    const type = TENSOR_TYPES[reader.u32()];
    const offset = reader.count();
    if (type === undefined) throw new GgufDamage(t('the type of tensor {0} is unknown', name));

    const elements = dimensions.reduce((product, dimension) => product * dimension, 1);
    const bytes = (elements / type.elements) * type.bytes;
    if (!Number.isSafeInteger(elements) || !Number.isSafeInteger(bytes)) {
      throw new GgufDamage(t('the shape of tensor {0} is invalid', name));
    }
    parameterCount += elements;
    tensorBytes += bytes;
    dataBytes = Math.max(dataBytes, offset + bytes);
    bytesByType.set(type.name, (bytesByType.get(type.name) ?? 0) + bytes);
    const isExpert = /_exps\.weight$/.test(name);
    if (isExpert) expertParameterCount += elements;
    if (name === TOKEN_TABLE || name === HEAD) {
      tables.set(name, bytes);
    } else {
      // What belongs to no block, such as the last norm, counts as a block of its own.
      const block = /^blk\.\d{1,4}\./.exec(name)?.[0] ?? '';
      const { all, experts } = blocks.get(block) ?? { all: NO_WEIGHTS, experts: NO_WEIGHTS };
      const own = { bytes, parameters: elements, fastParameters: FAST_TYPES.has(type.name) ? elements : 0 };
      blocks.set(block, { all: sumOf(all, own), experts: isExpert ? sumOf(experts, own) : experts });
      if (/\.nextn\./.test(name)) draftBlocks.add(block);
    }
    if (KV_PROJECTION.test(name)) kvElementsPerToken += dimensions[1] ?? 0;
    if (/\.(ssm|time_mix)_/.test(name)) hasRecurrentState = true;
  }
  const [dominantType = null] = [...bytesByType].sort((left, right) => right[1] - left[1])[0] ?? [];
  const trunk = [...blocks].filter(([block]) => !draftBlocks.has(block)).map(([, sums]) => sums);
  return {
    tensorBytes,
    parameterCount,
    expertParameterCount,
    kvElementsPerToken,
    hasRecurrentState,
    hasMtpBlock: draftBlocks.size > 0,
    layers: trunk.reduce((sum, { all }) => sumOf(sum, all), NO_WEIGHTS),
    experts: trunk.reduce((sum, { experts }) => sumOf(sum, experts), NO_WEIGHTS),
    headBytes: tables.get(HEAD) ?? tables.get(TOKEN_TABLE) ?? 0,
    dominantType,
    dataBytes,
  };
}

/** The sums over all parts of a split model. */
export function addTensors(left: TensorSummary, right: TensorSummary): TensorSummary {
  const dominant = left.tensorBytes >= right.tensorBytes ? left : right;
  return {
    tensorBytes: left.tensorBytes + right.tensorBytes,
    parameterCount: left.parameterCount + right.parameterCount,
    expertParameterCount: left.expertParameterCount + right.expertParameterCount,
    kvElementsPerToken: left.kvElementsPerToken + right.kvElementsPerToken,
    hasRecurrentState: left.hasRecurrentState || right.hasRecurrentState,
    hasMtpBlock: left.hasMtpBlock || right.hasMtpBlock,
    layers: sumOf(left.layers, right.layers),
    experts: sumOf(left.experts, right.experts),
    // The first part has the table of tokens, the last one the head where there is one.
    headBytes: right.headBytes || left.headBytes,
    dominantType: dominant.dominantType,
    dataBytes: left.dataBytes + right.dataBytes,
  };
}

function sumOf(left: WeightSum, right: WeightSum): WeightSum {
  return {
    bytes: left.bytes + right.bytes,
    parameters: left.parameters + right.parameters,
    fastParameters: left.fastParameters + right.fastParameters,
  };
}
