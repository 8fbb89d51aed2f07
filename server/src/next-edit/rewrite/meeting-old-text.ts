import { isDistinctive } from '../../completion/cursor/line-shape.js';
import { lineStartAt } from '../text/lines.js';

/**
 * Follows an answer that was offered a text, and finds where it meets the old text again: the last two whole lines
 * after the departure are two lines of the old text, in order. Work is linear in both texts.
 */
export class MeetingOldText {
  readonly #old: string;
  readonly #offered: string;
  /** Offset in the old text at which the offered text begins; null where that is another text. */
  readonly #offeredAt: number | null;
  #text = '';
  /** Length of what the answer and the offered text have in common at their start. */
  #same = 0;
  /** Where the answer's last line starts, which is not complete yet. */
  #lineStart = 0;
  #lastLine: string | null = null;
  /** First places of two consecutive old lines after the departure, as the offset after both. */
  #pairs: ReadonlyMap<string, number> | null = null;
  /** Up to here both texts are equal again, as offsets after a line feed. */
  #met: { readonly answer: number; readonly old: number } | null = null;
  #apartAgain = false;

  constructor(old: string, offered: string, offeredAt: number | null) {
    this.#old = old;
    this.#offered = offered;
    this.#offeredAt = offeredAt;
  }

  push(piece: string): void {
    const departed = this.departed;
    this.#text += piece;
    if (!departed) {
      const { length } = this.#text;
      while (this.#same < length && this.#text[this.#same] === this.#offered[this.#same]) this.#same++;
      if (this.#same === length) return;
      this.#lineStart = lineStartAt(this.#text, this.#same);
    }
    for (
      let end = this.#text.indexOf('\n', this.#lineStart);
      end >= 0;
      end = this.#text.indexOf('\n', this.#lineStart)
    ) {
      const line = this.#text.slice(this.#lineStart, end);
      this.#lineStart = end + 1;
      this.#takeLine(line);
    }
  }

  /** Length of what was said as it was offered. */
  get same(): number {
    return this.#same;
  }

  get departed(): boolean {
    return this.#same < this.#text.length;
  }

  get met(): boolean {
    return this.#met !== null;
  }

  /** What counts of the answer: up to where both texts are equal again, or all. */
  get accepted(): string {
    return this.#text.slice(0, this.#met?.answer);
  }

  /** Offset of the old text that follows what counts; null where they did not meet. */
  get oldOffset(): number | null {
    return this.#met?.old ?? null;
  }

  #takeLine(line: string): void {
    if (this.#met !== null) {
      this.#goOn(line, this.#met);
      return;
    }
    const before = this.#lastLine;
    this.#lastLine = line;
    if (before === null || !(isDistinctive(before) || isDistinctive(line))) return;
    this.#pairs ??= this.#pairsBehindDeparture();
    const old = this.#pairs.get(`${before}\n${line}`);
    if (old !== undefined) this.#met = { answer: this.#lineStart, old };
  }

  /** What streams in before the generation ends may still be old text. */
  #goOn(line: string, met: { readonly answer: number; readonly old: number }): void {
    if (this.#apartAgain) return;
    if (this.#old.startsWith(`${line}\n`, met.old)) {
      this.#met = { answer: this.#lineStart, old: met.old + line.length + 1 };
    } else {
      this.#apartAgain = true;
    }
  }

  #pairsBehindDeparture(): ReadonlyMap<string, number> {
    const from = this.#offeredAt === null ? 0 : lineStartAt(this.#old, this.#offeredAt + this.#same);
    const pairs = new Map<string, number>();
    let before: string | null = null;
    for (let start = from, end = this.#old.indexOf('\n', from); end >= 0; end = this.#old.indexOf('\n', start)) {
      const line = this.#old.slice(start, end);
      start = end + 1;
      const key = `${before}\n${line}`;
      if (before !== null && !pairs.has(key)) pairs.set(key, start);
      before = line;
    }
    return pairs;
  }
}
