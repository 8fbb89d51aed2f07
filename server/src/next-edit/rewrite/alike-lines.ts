import { isWord } from '../repeat/replacement.js';
import { wordsIn } from '../repeat/sites.js';
import { differingTokens, tokensOf } from '../repeat/token-difference.js';

/** A line that an edit changed, and what was put into it. */
export interface ChangedLine {
  readonly tokens: readonly string[];
  /** The longest word that the edit left as it was: a line like it most likely has it too. */
  readonly word: string;
  /** Words that the edit put there. */
  readonly inserted: readonly string[];
}

/** A line of a text that reads like one that an edit changed. */
export interface AlikeLine {
  readonly start: number;
  /** Share of the tokens that both have, from 0 to 1. */
  readonly likeness: number;
}

const SHORTEST_WORD = 2;
/** Of one edit. */
const MOST_CHANGED_LINES = 4;
const LONGEST_LINE = 400;

/** The lines that an edit changed in part, as they were. Lines that are all new are like nothing. */
export function changedLines({ original, updated }: { readonly original: string; readonly updated: string }) {
  const [before, after] = [tokensOf(original), tokensOf(updated)];
  const lines = new Map<number, ChangedLine>();
  for (const { start, end, newStart, newEnd } of differingTokens(before, after)) {
    const from = before.slice(0, start).findLastIndex(isLineEnd) + 1;
    const behind = before.slice(end).findIndex(isLineEnd);
    const to = behind < 0 ? before.length : end + behind;
    const left = [...before.slice(from, start), ...before.slice(end, to)].filter(isVisible);
    const word = left.filter(isWord).reduce((longest, token) => (token.length > longest.length ? token : longest), '');
    if (word.length < SHORTEST_WORD || lines.size >= MOST_CHANGED_LINES) continue;
    const inserted = after.slice(newStart, newEnd).filter(isWord);
    const known = lines.get(from);
    lines.set(from, {
      tokens: before.slice(from, to).filter(isVisible),
      word,
      inserted: [...(known?.inserted ?? []), ...inserted],
    });
  }
  return [...lines.values()];
}

/** Lines of a text that read like a changed one, and do not have yet what was put there. */
export function alikeLines(changed: ChangedLine, text: string): readonly AlikeLine[] {
  const found = new Map<number, AlikeLine>();
  for (const at of wordsIn(text, changed.word)) {
    const start = at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1;
    if (found.has(start) || at - start > LONGEST_LINE) continue;
    const lineFeed = text.indexOf('\n', at);
    const end = lineFeed < 0 ? text.length : lineFeed;
    if (end - start > LONGEST_LINE) continue;
    const tokens = tokensOf(text.slice(start, end)).filter(isVisible);
    if (changed.inserted.length > 0 && changed.inserted.every((word) => tokens.includes(word))) continue;
    found.set(start, { start, likeness: likenessOf(changed.tokens, tokens) });
  }
  return [...found.values()];
}

/** Tokens that both have, each as often as the rarer side, over those of the longer side. */
function likenessOf(one: readonly string[], other: readonly string[]): number {
  const left = new Map<string, number>();
  for (const token of one) left.set(token, (left.get(token) ?? 0) + 1);
  let same = 0;
  for (const token of other) {
    const count = left.get(token) ?? 0;
    if (count === 0) continue;
    left.set(token, count - 1);
    same++;
  }
  return same / Math.max(1, one.length, other.length);
}

function isLineEnd(token: string): boolean {
  return token.startsWith('\n');
}

function isVisible(token: string): boolean {
  return token.trim() !== '';
}
