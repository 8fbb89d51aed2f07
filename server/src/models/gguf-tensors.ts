import { t } from '../../protocol/index.js';
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
  /** Name of the type with the most bytes; null without tensors. */
  readonly dominantType: string | null;
  /** End of the last tensor, counted from the start of the tensor data. */
  readonly dataBytes: number;
}

const MAX_TENSORS = 1_000_000;
const MAX_DIMENSIONS = 4;

/** Attention layers by their projections, whose rows determine the cache's size. */
const KV_PROJECTION = /\.attn_(k|v|kv_a_mqa)\.weight$/;

export async function readTensors(reader: GgufReader, tensorCount: number): Promise<TensorSummary> {
  if (tensorCount > MAX_TENSORS) throw new GgufDamage(t('it claims {0} tensors', tensorCount));
  const bytesByType = new Map<string, number>();
  let parameterCount = 0;
  let expertParameterCount = 0;
  let kvElementsPerToken = 0;
  let tensorBytes = 0;
  let dataBytes = 0;
  let hasRecurrentState = false;
  let hasMtpBlock = false;
  for (let tensor = 0; tensor < tensorCount; tensor += 1) {
    const name = await reader.string();
    const dimensionCount = await reader.readU32();
    if (dimensionCount > MAX_DIMENSIONS)
      throw new GgufDamage(t('its tensor {0} has {1} dimensions', name, dimensionCount));
    await reader.need(dimensionCount * 8 + 4 + 8);
    const dimensions = Array.from({ length: dimensionCount }, () => reader.count());
    const type = TENSOR_TYPES[reader.u32()];
    const offset = reader.count();
    if (type === undefined)
      throw new GgufDamage(t('its tensor {0} has a type that no longer, or not yet, exists', name));

    const elements = dimensions.reduce((product, dimension) => product * dimension, 1);
    const bytes = (elements / type.elements) * type.bytes;
    if (!Number.isSafeInteger(elements) || !Number.isSafeInteger(bytes)) {
      throw new GgufDamage(t('its tensor {0} has an impossible shape', name));
    }
    parameterCount += elements;
    tensorBytes += bytes;
    dataBytes = Math.max(dataBytes, offset + bytes);
    bytesByType.set(type.name, (bytesByType.get(type.name) ?? 0) + bytes);
    if (/_exps\.weight$/.test(name)) expertParameterCount += elements;
    if (KV_PROJECTION.test(name)) kvElementsPerToken += dimensions[1] ?? 0;
    if (/\.(ssm|time_mix)_/.test(name)) hasRecurrentState = true;
    if (/\.nextn\./.test(name)) hasMtpBlock = true;
  }
  const [dominantType = null] = [...bytesByType].sort((left, right) => right[1] - left[1])[0] ?? [];
  return {
    tensorBytes,
    parameterCount,
    expertParameterCount,
    kvElementsPerToken,
    hasRecurrentState,
    hasMtpBlock,
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
    dominantType: dominant.dominantType,
    dataBytes: left.dataBytes + right.dataBytes,
  };
}
