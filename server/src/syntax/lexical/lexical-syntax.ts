import type { Block, ErrorCounts, Scope, Syntax } from '../syntax.js';
import { type LexicalRules, lexicalRulesFor } from './lexical-rules.js';
import { closerOf, INITIAL_STATE, scanText, scopeOf } from './lexical-scanner.js';

/** How far around a place the scan reads. It assumes code at its start, so it misses a string longer than this. */
const WINDOW_CHARACTERS = 16_384;

/** Syntax from comments, strings and brackets alone: for any language and any text, without a grammar. */
export class LexicalSyntax implements Syntax {
  readonly #text: string;

  constructor(
    readonly languageId: string,
    text: string,
  ) {
    this.#text = text;
  }

  scopeAt(offset: number): Scope {
    return scopeOf(scanText(this.#before(offset), INITIAL_STATE, lexicalRulesFor(this.languageId)));
  }

  /** Offset of the opening of the string around a place; null where there is none. */
  openingOfString(offset: number): number | null {
    const before = this.#before(offset);
    let opening = 0;
    let end = -1;
    const onString = (from: number, to: number): void => {
      // On each line of a string there is a part of it.
      if (from !== end + 1) opening = from;
      end = to;
    };
    const state = scanText(before, INITIAL_STATE, lexicalRulesFor(this.languageId), { onString });
    return scopeOf(state) === 'string' ? offset - before.length + opening : null;
  }

  blockAt(offset: number): Block | null {
    const start = this.#openerBefore(offset);
    if (start === null) return null;
    const opener = this.#text[start] ?? '';
    const after = this.#text.slice(offset, offset + WINDOW_CHARACTERS);
    const length = closingLength(after, opener, lexicalRulesFor(this.languageId));
    const end = length === null ? offset + after.length : offset + length;
    const inner = this.#text.slice(start + 1, length === null ? end : end - 1);
    return { kind: opener === '{' ? 'body' : 'list', start, end, empty: inner.trim() === '' };
  }

  nameAt(): null {
    return null;
  }

  errorsWith(): ErrorCounts | null {
    return null;
  }

  #before(offset: number): string {
    const from = Math.max(0, offset - WINDOW_CHARACTERS);
    const before = this.#text.slice(from, offset);
    return from === 0 ? before : before.slice(before.indexOf('\n') + 1);
  }

  /** Offset of the innermost open bracket before the offset. */
  #openerBefore(offset: number): number | null {
    const before = this.#before(offset);
    const open: number[] = [];
    const onBracket = (index: number): void => {
      if (closerOf(before[index] ?? '') !== null) open.push(index);
      else if (closerOf(before[open.at(-1) ?? -1] ?? '') === before[index]) open.pop();
    };
    scanText(before, INITIAL_STATE, lexicalRulesFor(this.languageId), { onBracket });
    const innermost = open.at(-1);
    return innermost === undefined ? null : offset - before.length + innermost;
  }
}

/** Length of a text up to the closer of the bracket open before it; null without that closer. */
function closingLength(text: string, opener: string, rules: LexicalRules): number | null {
  let depth = 1;
  let length: number | null = null;
  const onBracket = (index: number): void => {
    depth += closerOf(text[index] ?? '') === null ? -1 : 1;
    if (depth === 0) length ??= index + 1;
  };
  scanText(text, { ...INITIAL_STATE, openers: opener }, rules, { onBracket });
  return length;
}
