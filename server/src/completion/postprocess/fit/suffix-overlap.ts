import { isDistinctive } from '../../cursor/line-shape.js';
import { unmatchedWith } from '../../cursor/replaced-closers.js';
import type { FilterInput, SuggestionFilter } from '../filter.js';
import { isWorse } from '../syntax-errors.js';

/**
 * Removes from the suggestion's end what already follows the cursor on its line, even with other blanks or quotes. The
 * grammar may object: code may need the same text twice.
 */
export const trimSuffixOverlap: SuggestionFilter = (input) => {
  const { text, cursor } = input;
  const length = exactOverlap(text, cursor.lineSuffix) ?? fuzzyOverlap(text, cursor.lineSuffix);
  if (length === null) return withoutRestOfSigns(input);
  const trimmed = text.slice(0, text.length - length);
  return isWorse(text, trimmed, input) ? text : trimmed;
};

const LONGEST_SIGNS = 16;
/** Another filter compares closers, as far as no blank is between them. */
const ONLY_CLOSERS = /^[)\]}'"`;,]*$/;

/**
 * A suggestion may repeat a whole rest that has no words: `a) {` before `) {`. It is needed twice if brackets would stay
 * open without it, and a single sign is a repetition only where the grammar or the brackets say so.
 */
function withoutRestOfSigns(input: FilterInput): string {
  const { text, cursor, syntax } = input;
  const rest = withoutSeparator(cursor.lineSuffix.trim());
  const body = withoutSeparator(text.trimEnd());
  if (rest.length > LONGEST_SIGNS || ONLY_CLOSERS.test(rest) || /\w/.test(rest) || !body.endsWith(rest)) return text;
  const trimmed = body.slice(0, body.length - rest.length).trimEnd();
  if (trimmed === '') return text;
  const gain = unmatchedWith(text, cursor, syntax.languageId) - unmatchedWith(trimmed, cursor, syntax.languageId);
  if (gain < 0 || isWorse(text, trimmed, input)) return text;
  return gain > 0 || rest.length > 1 || isWorse(trimmed, text, input) ? trimmed : text;
}

/** Code may need a few punctuation characters twice (`f(g(x║)`), so only a whole word or a separator counts. */
function exactOverlap(text: string, lineSuffix: string): number | null {
  for (let length = Math.min(text.length, lineSuffix.length); length > 0; length--) {
    const overlap = lineSuffix.slice(0, length);
    if (!text.endsWith(overlap)) continue;
    const splitsFirstWord = isWord(text[text.length - length - 1]) && isWord(overlap[0]);
    const splitsLastWord = isWord(overlap.at(-1)) && isWord(lineSuffix[length]);
    const standsAlone = /\w/.test(overlap) ? !splitsFirstWord && !splitsLastWord : /^[;,]$/.test(overlap.trim());
    if (standsAlone) return length;
  }
  return null;
}

/** How much of the text's end equals the rest of the line, ignoring blanks, the kind of quotes and a last separator. */
function fuzzyOverlap(text: string, lineSuffix: string): number | null {
  const wanted = withoutSeparator(essence(lineSuffix));
  if (!isDistinctive(wanted)) return null;
  const lineStart = text.lastIndexOf('\n') + 1;
  const all = essence(text.slice(lineStart));
  const ending = withoutSeparator(all);
  if (!ending.endsWith(wanted)) return null;
  // The last characters that count stand after those of the text before.
  let start = lineStart;
  for (let before = ending.length - wanted.length; before > 0; start++) if (!isBlank(text[start])) before--;
  return isWord(text[start - 1]) && isWord(text[start]) ? null : text.length - start;
}

function withoutSeparator(text: string): string {
  return /[;,]/.test(text.slice(-1)) ? text.slice(0, -1) : text;
}

function essence(text: string): string {
  return text.replace(/\s+/g, '').replace(/['"`]/g, '"');
}

function isBlank(character: string | undefined): boolean {
  return character !== undefined && /\s/.test(character);
}

function isWord(character: string | undefined): boolean {
  return character !== undefined && /\w/.test(character);
}
