import type { InklingStatus } from '../../../server/protocol/index.js';

/** The used part of an item in the answer to `textDocument/inlineCompletion`. */
export interface AnsweredItem {
  readonly insertText: string;
  readonly range: { readonly start: Position; readonly end: Position };
  readonly command: { readonly arguments: readonly [{ readonly suggestionId: number }] };
}

/** Zero-based, in UTF-16 units. */
interface Position {
  readonly line: number;
  readonly character: number;
}

const ENTRY_START = /^(?=\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} \[\w+\] )/m;

/**
 * Reads the log of the output channel `Inkling` at level Trace: the language server's messages, to compare with the
 * screen.
 */
export class ServerLog {
  readonly #entries: readonly string[];

  constructor(text: string) {
    this.#entries = text.split(ENTRY_START);
  }

  /** Whether one entry contains all of these texts. */
  says(...parts: readonly string[]): boolean {
    return this.#entries.some((entry) => parts.every((part) => entry.includes(part)));
  }

  /** The item of the last answer with one. */
  lastItem(): AnsweredItem | undefined {
    return this.#last(/ Received response 'textDocument\/inlineCompletion - \(\d+\)'/, (entry) => {
      const { items } = contentOf(entry, 'Result') as { items: AnsweredItem[] };
      return items[0];
    });
  }

  lastStatus(): InklingStatus | undefined {
    return this.#last(
      / Received notification 'inkling\/status'/,
      (entry) => contentOf(entry, 'Params') as InklingStatus,
    );
  }

  /** Number of requests for a suggestion so far. */
  requestCount(): number {
    return this.#entries.filter((entry) => entry.includes("] Sending request 'textDocument/inlineCompletion - ("))
      .length;
  }

  includes(text: string): boolean {
    return this.#entries.some((entry) => entry.includes(text));
  }

  #last<T>(title: RegExp, read: (entry: string) => T | undefined): T | undefined {
    for (const entry of this.#entries.toReversed()) {
      // A line that is still being written contains incomplete JSON.
      if (!title.test(entry) || !entry.endsWith('}\n')) continue;
      const value = read(entry);
      if (value !== undefined) return value;
    }
    return undefined;
  }
}

/** The text after an item was accepted in it. */
export function applyItem(text: string, { insertText, range }: AnsweredItem): string {
  return text.slice(0, offsetOf(text, range.start)) + insertText + text.slice(offsetOf(text, range.end));
}

export function offsetOf(text: string, { line, character }: Position): number {
  const before = text.split('\n').slice(0, line);
  return before.reduce((offset, each) => offset + each.length + 1, 0) + character;
}

function contentOf(entry: string, label: string): unknown {
  const start = entry.indexOf(`\n${label}: `);
  return start < 0 ? {} : JSON.parse(entry.slice(start + label.length + 3));
}
