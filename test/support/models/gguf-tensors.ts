import { TENSOR_TYPES } from '../../../server/src/models/gguf/gguf-types.js';
import type { Gguf } from './gguf.js';

/** A tensor of a file, with the bytes of its values. */
export interface StoredTensor {
  readonly name: string;
  readonly shape: readonly bigint[];
  /** GGUF's id. */
  readonly type: number;
  readonly bytes: Buffer;
}

const ALIGNMENT = 32;

/** Precondition: the file has the usual alignment. */
export function readTensors({ tensorCount, tensorInfos, data }: Gguf): readonly StoredTensor[] {
  let at = 0;
  return Array.from({ length: Number(tensorCount) }, () => {
    const nameLength = Number(tensorInfos.readBigUInt64LE(at));
    const name = tensorInfos.toString('utf8', at + 8, at + 8 + nameLength);
    at += 8 + nameLength;
    const dimensions = tensorInfos.readUInt32LE(at);
    const shape = Array.from({ length: dimensions }, (_, each) => tensorInfos.readBigUInt64LE(at + 4 + 8 * each));
    at += 4 + 8 * dimensions;
    const type = tensorInfos.readUInt32LE(at);
    const offset = Number(tensorInfos.readBigUInt64LE(at + 4));
    at += 4 + 8;
    return { name, shape, type, bytes: data.subarray(offset, offset + bytesOf(type, shape)) };
  });
}

/** How long the values of a tensor are. Precondition: a row is whole blocks. */
export function bytesOf(type: number, shape: readonly bigint[]): number {
  const block = TENSOR_TYPES[type];
  if (block === undefined) throw new Error(`unknown tensor type ${type}`);
  return (Number(shape.reduce((product, length) => product * length, 1n)) / block.elements) * block.bytes;
}

/** The parts of a file that hold these tensors, one behind the other. */
export function storeTensors(tensors: readonly StoredTensor[]): Pick<Gguf, 'tensorCount' | 'tensorInfos' | 'data'> {
  let offset = 0;
  const infos: Buffer[] = [];
  const values: Buffer[] = [];
  for (const { name, shape, type, bytes } of tensors) {
    const info = Buffer.alloc(8 + name.length + 4 + 8 * shape.length + 4 + 8);
    info.writeBigUInt64LE(BigInt(name.length), 0);
    info.write(name, 8, 'latin1');
    let at = info.writeUInt32LE(shape.length, 8 + name.length);
    for (const length of shape) at = info.writeBigUInt64LE(length, at);
    at = info.writeUInt32LE(type, at);
    info.writeBigUInt64LE(BigInt(offset), at);
    infos.push(info);
    const padding = Buffer.alloc((ALIGNMENT - (bytes.length % ALIGNMENT)) % ALIGNMENT);
    values.push(bytes, padding);
    offset += bytes.length + padding.length;
  }
  return { tensorCount: BigInt(tensors.length), tensorInfos: Buffer.concat(infos), data: Buffer.concat(values) };
}
