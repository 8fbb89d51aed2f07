import { type GgufValue, serializeGguf } from './gguf.js';

const UINT32 = 4;
const STRING = 8;
const ARRAY = 9;
const F32 = 0;

export interface TinyTensor {
  readonly name: string;
  readonly shape: readonly number[];
  readonly type?: number;
}

export type TinyValue = string | number | readonly (string | number)[];

export interface TinyModel {
  readonly architecture?: string;
  /** More entries: texts become strings, numbers 32-bit counts, lists of them arrays. */
  readonly metadata?: Readonly<Record<string, TinyValue>>;
  readonly tokens?: readonly string[];
  readonly tensors?: readonly TinyTensor[];
  /** Bytes of tensor data; by default the size of F32 tensors. */
  readonly dataBytes?: number;
}

export const FIM_TOKENS = ['<|fim_prefix|>', '<|fim_suffix|>', '<|fim_middle|>'];

/** The smallest file with the header of a GGUF model; its weights are zeros. */
export function tinyGguf(model: TinyModel = {}): Buffer {
  const { architecture = 'qwen2', tokens = ['a', 'b', ...FIM_TOKENS], tensors = [DEFAULT_TENSOR] } = model;
  const metadata = new Map<string, GgufValue>([['general.architecture', { type: STRING, value: architecture }]]);
  for (const [key, value] of Object.entries(model.metadata ?? {})) metadata.set(key, tinyValue(value));
  metadata.set('tokenizer.ggml.tokens', { type: ARRAY, elementType: STRING, values: tokens });
  // An array that the reader must skip between the vocabulary and the tensors.
  metadata.set('tokenizer.ggml.token_type', { type: ARRAY, elementType: UINT32, values: tokens.map(() => 1) });

  let offset = 0;
  const infos = tensors.map(({ name, shape, type = F32 }) => {
    const info = tensorInfo(name, shape, type, offset);
    offset += shape.reduce((product, dimension) => product * dimension, 4);
    return info;
  });
  return serializeGguf({
    metadata,
    tensorCount: BigInt(tensors.length),
    tensorInfos: Buffer.concat(infos),
    data: Buffer.alloc(model.dataBytes ?? offset),
  });
}

const DEFAULT_TENSOR: TinyTensor = { name: 'blk.0.attn_k.weight', shape: [8, 4] };

function tinyValue(value: TinyValue): GgufValue {
  if (typeof value !== 'object') return { type: typeOf(value), value };
  return { type: ARRAY, elementType: typeOf(value[0] ?? ''), values: value };
}

function typeOf(value: string | number): number {
  return typeof value === 'string' ? STRING : UINT32;
}

function tensorInfo(name: string, shape: readonly number[], type: number, offset: number): Buffer {
  const text = Buffer.from(name);
  const numbers = Buffer.alloc(8 + 4 + shape.length * 8 + 4 + 8);
  numbers.writeBigUInt64LE(BigInt(text.length), 0);
  const rest = numbers.subarray(8);
  rest.writeUInt32LE(shape.length, 0);
  shape.forEach((dimension, index) => void rest.writeBigUInt64LE(BigInt(dimension), 4 + index * 8));
  rest.writeUInt32LE(type, 4 + shape.length * 8);
  rest.writeBigUInt64LE(BigInt(offset), 8 + shape.length * 8);
  return Buffer.concat([numbers.subarray(0, 8), text, rest]);
}
