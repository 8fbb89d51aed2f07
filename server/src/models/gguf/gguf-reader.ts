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

/** Fresh memory costs more than a read of it. */
const WINDOW_BYTES = 1 << 18;

/** The largest headers, with vocabularies of 260,000 tokens and as many merges, are smaller than a tenth of this. */
const MAX_HEADER_BYTES = 256 * 2 ** 20;

/** The longest value that is stored; chat templates have some ten thousand characters. */
const MAX_STRING_BYTES = 4 * 2 ** 20;

/** The size of the length before a string. */
const LENGTH_BYTES = 8;

/** Upper halves of 64 bits from here on make numbers that a double cannot represent exactly. */
const HIGH_LIMIT = 2 ** 21;

/** What to look for in a list of strings. */
export interface WantedStrings {
  readonly mostBytes: number;
  /** A cheap first look, with the first byte and the length in bytes, which is neither 0 nor above `mostBytes`. */
  readonly mayBe: (firstByte: number, bytes: number) => boolean;
  readonly look: (text: string) => void;
}

/**
 * Reads little-endian values from the start of a file through a window, so that memory stays bounded whatever the file
 * claims. Call `need` before a read; reads within the requested bytes are synchronous.
 */
export class GgufReader {
  readonly #handle: FileHandle;
  readonly #fileBytes: number;
  /** Holds one window after the other. */
  #memory = Buffer.alloc(0);
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

  /** Makes the next `bytes` readable. */
  async need(bytes: number): Promise<void> {
    if (this.#position - this.#windowStart + bytes <= this.#window.length) return;
    if (this.#position + bytes > this.#fileBytes) throw new GgufCutShort();
    if (this.#position + bytes > MAX_HEADER_BYTES) throw new GgufDamage(t('its header is too long'));
    const length = Math.min(Math.max(bytes, WINDOW_BYTES), this.#fileBytes - this.#position);
    if (this.#memory.length < length) this.#memory = Buffer.allocUnsafe(Math.max(length, WINDOW_BYTES));
    const window = this.#memory.subarray(0, length);
    let filled = 0;
    while (filled < length) {
      const { bytesRead } = await this.#handle.read(window, filled, length - filled, this.#position + filled);
      if (bytesRead === 0) throw new GgufCutShort();
      filled += bytesRead;
    }
    this.#window = window;
    this.#windowStart = this.#position;
  }

  /** Whether the file begins with a text, after up to as many bytes of it were read. */
  async beginsWith(text: string): Promise<boolean> {
    this.#position = 0;
    if (this.#fileBytes < text.length) return false;
    await this.need(text.length);
    return this.#window.toString('latin1', 0, text.length) === text;
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
    const start = this.#position - this.#windowStart;
    const high = this.#window.readUInt32LE(start + 4);
    if (high >= HIGH_LIMIT) {
      throw new GgufDamage(t('a length of {0} is invalid', String(this.#window.readBigUInt64LE(start))));
    }
    this.#position += 8;
    return high * 2 ** 32 + this.#window.readUInt32LE(start);
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

  async string(mostBytes = MAX_STRING_BYTES): Promise<string> {
    const length = await this.stringLength();
    if (length > mostBytes) throw new GgufDamage(t('a name of {0} bytes is too long', length));
    await this.need(length);
    return this.view(length).toString('utf8');
  }

  /** Skips the strings of a list, and looks for `wanted` among them; null looks for nothing. */
  async passStrings(count: number, wanted: WantedStrings | null): Promise<void> {
    let left = count;
    while (true) {
      left -= this.#passWithinWindow(left, wanted);
      if (left === 0) return;
      // This one begins or ends after the window, or its length is no length.
      const bytes = await this.stringLength();
      if (wanted !== null && bytes <= wanted.mostBytes) {
        await this.need(bytes);
        wanted.look(this.view(bytes).toString('utf8'));
      } else {
        this.skip(bytes);
      }
      left -= 1;
    }
  }

  /**
   * One loop with few calls: a vocabulary has up to some hundred thousand strings, and is read once, before the
   * just-in-time compiler has come to it.
   *
   * @returns how many of the next `most` strings it passed: those that the window holds whole
   */
  #passWithinWindow(most: number, wanted: WantedStrings | null): number {
    const window: Uint8Array = this.#window;
    const end = window.length;
    const mostBytes = wanted === null ? 0 : wanted.mostBytes;
    let at = this.#position - this.#windowStart;
    let passed = 0;
    for (; passed < most && at + LENGTH_BYTES <= end; passed += 1) {
      // Longer ones would not be in the window.
      if (window[at + 3] || window[at + 4] || window[at + 5] || window[at + 6] || window[at + 7]) break;
      const bytes = (window[at] as number) | ((window[at + 1] as number) << 8) | ((window[at + 2] as number) << 16);
      const start = at + LENGTH_BYTES;
      if (start + bytes > end) break;
      if (bytes !== 0 && bytes <= mostBytes && wanted?.mayBe(window[start] as number, bytes)) {
        wanted.look(this.#window.toString('utf8', start, start + bytes));
      }
      at = start + bytes;
    }
    this.#position = this.#windowStart + at;
    return passed;
  }
}
