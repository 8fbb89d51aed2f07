/**
 * Reads a GGUF file and writes it again with other metadata, so that tests can give a real model other facts. Tensors
 * are copied as they are: their offsets count from the start of the data, which stays the same.
 */

const MAGIC = 'GGUF';
const VERSION = 3;
const DEFAULT_ALIGNMENT = 32;

const BOOL = 7;
const STRING = 8;
const ARRAY = 9;

/** Size, reader and writer of the number types, by GGUF's type ids. */
const NUMBERS: Readonly<Record<number, NumberType>> = {
  0: {
    bytes: 1,
    read: (buffer, at) => buffer.readUInt8(at),
    write: (buffer, value) => buffer.writeUInt8(Number(value)),
  },
  1: { bytes: 1, read: (buffer, at) => buffer.readInt8(at), write: (buffer, value) => buffer.writeInt8(Number(value)) },
  2: {
    bytes: 2,
    read: (buffer, at) => buffer.readUInt16LE(at),
    write: (buffer, value) => buffer.writeUInt16LE(Number(value)),
  },
  3: {
    bytes: 2,
    read: (buffer, at) => buffer.readInt16LE(at),
    write: (buffer, value) => buffer.writeInt16LE(Number(value)),
  },
  4: {
    bytes: 4,
    read: (buffer, at) => buffer.readUInt32LE(at),
    write: (buffer, value) => buffer.writeUInt32LE(Number(value)),
  },
  5: {
    bytes: 4,
    read: (buffer, at) => buffer.readInt32LE(at),
    write: (buffer, value) => buffer.writeInt32LE(Number(value)),
  },
  6: {
    bytes: 4,
    read: (buffer, at) => buffer.readFloatLE(at),
    write: (buffer, value) => buffer.writeFloatLE(Number(value)),
  },
  10: {
    bytes: 8,
    read: (buffer, at) => buffer.readBigUInt64LE(at),
    write: (buffer, value) => buffer.writeBigUInt64LE(BigInt(value)),
  },
  11: {
    bytes: 8,
    read: (buffer, at) => buffer.readBigInt64LE(at),
    write: (buffer, value) => buffer.writeBigInt64LE(BigInt(value)),
  },
  12: {
    bytes: 8,
    read: (buffer, at) => buffer.readDoubleLE(at),
    write: (buffer, value) => buffer.writeDoubleLE(Number(value)),
  },
};

interface NumberType {
  readonly bytes: number;
  readonly read: (buffer: Buffer, at: number) => number | bigint;
  readonly write: (buffer: Buffer, value: number | bigint) => unknown;
}

export type GgufScalar = string | boolean | number | bigint;

export type GgufValue =
  | { readonly type: number; readonly value: GgufScalar }
  | { readonly type: typeof ARRAY; readonly elementType: number; readonly values: readonly GgufScalar[] };

export interface Gguf {
  readonly metadata: Map<string, GgufValue>;
  readonly tensorCount: bigint;
  /** The tensors' names, shapes and offsets, as stored in the file. */
  readonly tensorInfos: Buffer;
  readonly data: Buffer;
}

export function parseGguf(file: Buffer): Gguf {
  const reader = new Reader(file);
  if (reader.bytes(4).toString('latin1') !== MAGIC) throw new Error('not a GGUF file');
  const version = reader.number(4);
  if (version !== VERSION) throw new Error(`GGUF version ${version}; this reader knows ${VERSION}`);
  const tensorCount = BigInt(reader.number(10));
  const entryCount = Number(reader.number(10));

  const metadata = new Map<string, GgufValue>();
  for (let entry = 0; entry < entryCount; entry += 1) {
    const key = reader.string();
    metadata.set(key, reader.value());
  }
  const infosStart = reader.position;
  for (let tensor = 0n; tensor < tensorCount; tensor += 1n) {
    reader.string();
    const dimensions = Number(reader.number(4));
    reader.bytes(dimensions * 8 + 4 + 8);
  }
  const tensorInfos = file.subarray(infosStart, reader.position);
  const data = file.subarray(align(reader.position, alignmentOf(metadata)));
  return { metadata, tensorCount, tensorInfos, data };
}

export function serializeGguf({ metadata, tensorCount, tensorInfos, data }: Gguf): Buffer {
  const parts = [
    Buffer.from(MAGIC, 'latin1'),
    numberBytes(4, VERSION),
    numberBytes(10, tensorCount),
    numberBytes(10, metadata.size),
    ...[...metadata].flatMap(([key, value]) => [stringBytes(key), valueBytes(value)]),
    tensorInfos,
  ];
  const header = Buffer.concat(parts);
  const padding = Buffer.alloc(align(header.length, alignmentOf(metadata)) - header.length);
  return Buffer.concat([header, padding, data]);
}

class Reader {
  readonly #file: Buffer;
  position = 0;

  constructor(file: Buffer) {
    this.#file = file;
  }

  bytes(count: number): Buffer {
    const start = this.position;
    this.position += count;
    return this.#file.subarray(start, this.position);
  }

  number(type: number): number | bigint {
    const { bytes, read } = numberType(type);
    return read(this.bytes(bytes), 0);
  }

  string(): string {
    return this.bytes(Number(this.number(10))).toString('utf8');
  }

  scalar(type: number): GgufScalar {
    if (type === STRING) return this.string();
    if (type === BOOL) return this.number(0) !== 0;
    return this.number(type);
  }

  value(): GgufValue {
    const type = Number(this.number(4));
    if (type !== ARRAY) return { type, value: this.scalar(type) };
    const elementType = Number(this.number(4));
    const length = Number(this.number(10));
    return { type, elementType, values: Array.from({ length }, () => this.scalar(elementType)) };
  }
}

function valueBytes(entry: GgufValue): Buffer {
  if (!('values' in entry)) return Buffer.concat([numberBytes(4, entry.type), scalarBytes(entry.type, entry.value)]);
  return Buffer.concat([
    numberBytes(4, ARRAY),
    numberBytes(4, entry.elementType),
    numberBytes(10, entry.values.length),
    ...entry.values.map((value) => scalarBytes(entry.elementType, value)),
  ]);
}

function scalarBytes(type: number, value: GgufScalar): Buffer {
  if (typeof value === 'string') return stringBytes(value);
  if (typeof value === 'boolean') return numberBytes(0, value ? 1 : 0);
  return numberBytes(type, value);
}

function stringBytes(text: string): Buffer {
  const bytes = Buffer.from(text, 'utf8');
  return Buffer.concat([numberBytes(10, bytes.length), bytes]);
}

function numberBytes(type: number, value: number | bigint): Buffer {
  const { bytes, write } = numberType(type);
  const buffer = Buffer.alloc(bytes);
  write(buffer, value);
  return buffer;
}

function numberType(type: number): NumberType {
  const known = NUMBERS[type];
  if (known === undefined) throw new Error(`unknown GGUF value type ${type}`);
  return known;
}

function alignmentOf(metadata: ReadonlyMap<string, GgufValue>): number {
  const entry = metadata.get('general.alignment');
  return entry !== undefined && 'value' in entry ? Number(entry.value) : DEFAULT_ALIGNMENT;
}

function align(position: number, alignment: number): number {
  return Math.ceil(position / alignment) * alignment;
}
