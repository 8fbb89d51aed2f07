import type { FileHandle } from 'node:fs/promises';
import { t } from '../../../protocol/index.js';

/** Invalid content in a GGUF header; the message continues `<path> is damaged: `. */
export class GgufDamage extends Error {
  override readonly name = 'GgufDamage';
}

/** The file ends before its header does. */
export class GgufCutShort extends Error {
  override readonly name = 'GgufCutShort';
}

const WINDOW_BYTES = 1 << 20;

/** The largest headers, with vocabularies of 260,000 tokens and as many merges, are smaller than a tenth of this. */
const MAX_HEADER_BYTES = 256 * 2 ** 20;

/** The longest value that is stored; chat templates have some ten thousand characters. */
const MAX_STRING_BYTES = 4 * 2 ** 20;

/**
 * Reads little-endian values from the start of a file through a window, so that memory stays bounded whatever the file
 * claims. Call `need` before a read; reads within the requested bytes are synchronous.
 */
export class GgufReader {
  readonly #handle: FileHandle;
  readonly #fileBytes: number;
  #window = Buffer.alloc(0);
  #windowStart = 0;
  #position = 0;

  constructor(handle: FileHandle, fileBytes: number) {
    this.#handle = handle;
    this.#fileBytes = fileBytes;
  }

  get position(): number {
    return this.#position;
  }

  get fileBytes(): number {
    return this.#fileBytes;
  }

  has(bytes: number): boolean {
    return this.#position - this.#windowStart + bytes <= this.#window.length;
  }

  /** Makes the next `bytes` readable. */
  async need(bytes: number): Promise<void> {
    if (this.has(bytes)) return;
    if (this.#position + bytes > this.#fileBytes) throw new GgufCutShort();
    if (this.#position + bytes > MAX_HEADER_BYTES) throw new GgufDamage(t('its header is too long'));
    const length = Math.min(Math.max(bytes, WINDOW_BYTES), this.#fileBytes - this.#position);
    const window = Buffer.allocUnsafe(length);
    let filled = 0;
    while (filled < length) {
      const { bytesRead } = await this.#handle.read(window, filled, length - filled, this.#position + filled);
      if (bytesRead === 0) throw new GgufCutShort();
      filled += bytesRead;
    }
    this.#window = window;
    this.#windowStart = this.#position;
  }

  /** Skips bytes without reading them. */
  skip(bytes: number): void {
    this.#position += bytes;
    if (this.#position > this.#fileBytes) throw new GgufCutShort();
  }

  /** Valid until the next `need`. */
  view(bytes: number): Buffer {
    const start = this.#position - this.#windowStart;
    this.#position += bytes;
    return this.#window.subarray(start, start + bytes);
  }

  u32(): number {
    return this.view(4).readUInt32LE(0);
  }

  /** A length or a count: refuses values that a double cannot represent exactly. */
  count(): number {
    const value = this.view(8).readBigUInt64LE(0);
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new GgufDamage(t('a length of {0} is invalid', String(value)));
    return Number(value);
  }

  async readU32(): Promise<number> {
    await this.need(4);
    return this.u32();
  }

  async readCount(): Promise<number> {
    await this.need(8);
    return this.count();
  }

  /** The length of the next string, checked against the rest of the file. */
  async stringLength(): Promise<number> {
    const length = await this.readCount();
    if (length > this.#fileBytes - this.#position) throw new GgufCutShort();
    return length;
  }

  async string(): Promise<string> {
    const length = await this.stringLength();
    if (length > MAX_STRING_BYTES) throw new GgufDamage(t('a name of {0} bytes is too long', length));
    await this.need(length);
    return this.view(length).toString('utf8');
  }
}
