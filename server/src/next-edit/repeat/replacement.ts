import { differingTokens, type Hunk, tokensOf } from './token-difference.js';

/** What stood around a place, without blanks. The token next to the place comes first on both sides. */
export interface Surroundings {
  readonly left: readonly string[];
  readonly right: readonly string[];
}

/** Tokens and what replaces them. */
export interface TokenChange {
  readonly from: readonly string[];
  readonly to: readonly string[];
}

/** The same tokens replaced by the same others, in one or several places of the recent edits. */
export interface Replacement extends TokenChange {
  /** At least one. */
  readonly made: readonly MadePlace[];
  /** How many different replacements the most focused edit has that made this one. */
  readonly focus: number;
  /** The last edit that made it, as an index of the edits. */
  readonly latest: number;
  /** Whether that is the last edit of all. */
  readonly last: boolean;
  /** How often `from` still stands in the edited lines and beside them: the user left it there. */
  readonly left: number;
}

/** A place where an edit made a replacement, and what stood around it. */
export interface MadePlace extends Surroundings {
  readonly edit: EditedText;
  /** Where the new tokens begin in the edit's new text. */
  readonly offset: number;
}

/** Both texts of an edit, with some unchanged lines around the change. */
export interface EditedText {
  readonly uri: string;
  /** One-based line of the first line of both texts in their document; null where nobody knows it. */
  readonly line: number | null;
  readonly original: string;
  readonly updated: string;
}

/** Compared on each side of a place. */
export const COMPARED_TOKENS = 4;
/** Blanks are left out, so more tokens are looked at than compared. */
const READ_TOKENS = 12;
const MOST_REPLACEMENTS = 24;
/** Nobody repeats a longer change by hand. */
const LONGEST_CHANGE = 200;

/** In a row, with nothing but blanks between them. */
const MOST_ADJOINING = 2;

/** Between the names of a chain. */
const LINK = /^(?:\.|\?\.|->|::)$/;
const WORD = /[\p{L}\p{N}_$]/u;

/** @param edits oldest first */
export function replacementsIn(edits: readonly EditedText[]): readonly Replacement[] {
  const found = new Map<string, Replacement>();
  const updatedTokens: (readonly string[])[] = [];
  edits.forEach((edit, index) => {
    const { original, updated } = edit;
    const before = tokensOf(original);
    const after = tokensOf(updated);
    updatedTokens.push(after);
    const hunks = joinedChains(withoutRewritten(differingTokens(before, after), before), before);
    const made = hunks.map(({ start, end, newStart, newEnd }) => {
      const from = before.slice(start, end);
      const to = after.slice(newStart, newEnd);
      const place = { edit, offset: lengthOf(after.slice(0, newStart)), ...surroundings(before, start, end) };
      return { key: `${from.join('')}\0${to.join('')}`, from, to, place };
    });
    const focus = new Set(made.map(({ key }) => key)).size;
    for (const { key, from, to, place } of made) {
      if (!from.some(isWord) || to.length === 0 || lengthOf(from) > LONGEST_CHANGE || lengthOf(to) > LONGEST_CHANGE) {
        continue;
      }
      const known = found.get(key);
      found.set(key, {
        from,
        to,
        made: [...(known?.made ?? []), place],
        focus: Math.min(focus, known?.focus ?? focus),
        latest: index,
        last: index === edits.length - 1,
        left: 0,
      });
    }
  });
  return [...found.values()]
    .slice(-MOST_REPLACEMENTS)
    .map((each) => ({ ...each, left: updatedTokens.reduce((sum, tokens) => sum + countIn(tokens, each.from), 0) }));
}

/** Without the hunks of rewritten text: what only blanks separate there was not replaced piece by piece. */
function withoutRewritten(hunks: readonly Hunk[], before: readonly string[]): readonly Hunk[] {
  const rows: Hunk[][] = [];
  for (const hunk of hunks) {
    const row = rows.at(-1);
    const last = row?.at(-1);
    if (row === undefined || last === undefined || before.slice(last.end, hunk.start).some(isVisible))
      rows.push([hunk]);
    else row.push(hunk);
  }
  return rows.filter(({ length }) => length <= MOST_ADJOINING).flat();
}

/** Names of one chain that were replaced together are one replacement: `console.log` by `logger.info`. */
function joinedChains(hunks: readonly Hunk[], before: readonly string[]): readonly Hunk[] {
  const joined: Hunk[] = [];
  for (const hunk of hunks) {
    const last = joined.at(-1);
    const isNext =
      last !== undefined &&
      LINK.test(before.slice(last.end, hunk.start).join('')) &&
      [last, hunk].every(({ start, end }) => isName(before.slice(start, end)));
    if (isNext) joined[joined.length - 1] = { ...hunk, start: last.start, newStart: last.newStart };
    else joined.push(hunk);
  }
  return joined;
}

function isName(tokens: readonly string[]): boolean {
  return isWord(tokens[0] ?? '') && isWord(tokens.at(-1) ?? '');
}

/** The tokens on both sides of `[start, end)`. */
export function surroundings(tokens: readonly string[], start: number, end: number): Surroundings {
  const left = tokens
    .slice(Math.max(0, start - READ_TOKENS), start)
    .filter(isVisible)
    .reverse();
  const right = tokens.slice(end, end + READ_TOKENS).filter(isVisible);
  return { left: left.slice(0, COMPARED_TOKENS), right: right.slice(0, COMPARED_TOKENS) };
}

export function isWord(token: string): boolean {
  return WORD.test(token);
}

function isVisible(token: string): boolean {
  return token.trim() !== '';
}

export function lengthOf(tokens: readonly string[]): number {
  return tokens.reduce((sum, { length }) => sum + length, 0);
}

function countIn(tokens: readonly string[], wanted: readonly string[]): number {
  let count = 0;
  for (let at = tokens.indexOf(wanted[0] ?? ''); at >= 0; at = tokens.indexOf(wanted[0] ?? '', at + 1)) {
    if (wanted.every((token, index) => tokens[at + index] === token)) count++;
  }
  return count;
}
