import { declaredAgain, type LineRange, leavesOut, placeByLines, placesByName } from './code-place.js';
import { withHunks } from './line-hunks.js';
import { repeatsDeclarations, repeatsWords } from './rewritten-part.js';

/** The document that a code block of an answer may change. */
export interface ChangeTarget {
  /** The current document, with `\n` for line breaks. */
  readonly text: string;
  /** The part of it that the question showed; null for none or all. */
  readonly shown: string | null;
  /** Whether the question showed all of it. */
  readonly wholeFile: boolean;
  /** Offsets of the selection; equal without a selection. */
  readonly selectionStart: number;
  readonly selectionEnd: number;
}

/** A block replaces a whole file only if it has at least this share of its lines. */
const WHOLE_FILE_SHARE = 0.5;

interface Part extends LineRange {
  readonly from: number;
  readonly to: number;
}

/**
 * The document with the code block inserted. The block replaces, in this order: the shown part or the selection if it
 * declares the same, a file that it repeats whole, the shown part if it has the same words, the declarations that it
 * contains, the lines around equal ones, selected lines of a shown file if they have the same words. It goes in at the
 * cursor only if the question showed nothing of the document and nothing is selected.
 *
 * @returns null if the block has no certain place
 */
export function proposeChange(code: string, target: ChangeTarget): string | null {
  const { text, shown, wholeFile, selectionStart, selectionEnd } = target;
  const block = code.replace(/\n$/, '');
  const lines = block.split('\n');
  const textLines = text.split('\n');
  const whole = { from: 0, to: text.length, start: 0, end: textLines.length };
  const selected = partToReplace(target);
  // A word of a file that the model was shown whole says nothing of the place.
  const part = selected === null || (wholeFile && !contentOf(text, selected).includes('\n')) ? null : selected;
  const hasWordsOf = (old: Part) => repeatsWords(lines, textLines, old, contentOf(text, old));
  if (part !== null && repeatsDeclarations(lines, textLines, part)) return over(text, part, block);
  const isLong = lines.length >= textLines.length * WHOLE_FILE_SHARE && !leavesOut(lines);
  const again = declaredAgain(lines, textLines);
  if (wholeFile && isLong && again === 'all') return `${block}\n`;
  const byLines = () => {
    const { start, end } = wholeFile || part === null ? whole : part;
    const place = placeByLines(lines, textLines.slice(start, end));
    return place === null ? null : [{ ...place, start: place.start + start, end: place.end + start }];
  };
  if (part !== null && !wholeFile && hasWordsOf(part)) {
    if (!isWithin(lines, contentOf(text, part).split('\n'))) return over(text, part, block);
    const places = byLines();
    return places === null ? null : withHunks(textLines, places).join('\n');
  }
  const seen = wholeFile ? whole : (part ?? { start: 0, end: 0 });
  const places = placesByName(lines, textLines, seen) ?? byLines();
  if (places !== null) return withHunks(textLines, places).join('\n');
  if (wholeFile && isLong && again === 'textHasNone' && hasWordsOf(whole)) return `${block}\n`;
  if (part !== null && wholeFile && hasWordsOf(part)) return over(text, part, block);
  return wholeFile || shown !== null || selected !== null
    ? null
    : text.slice(0, selectionStart) + block + text.slice(selectionEnd);
}

/** The document with the code block in place of the shown part or the selection; null without any. */
export function replacePart(code: string, target: ChangeTarget): string | null {
  const part = partToReplace(target);
  return part === null ? null : over(target.text, part, code.replace(/\n$/, ''));
}

/** The shown part where the text still has it, else the selection; null without any. */
function partToReplace({ text, shown, selectionStart, selectionEnd }: ChangeTarget): Part | null {
  if (shown !== null && shown.trim() !== '') {
    const at = nearestOccurrence(text, shown, selectionStart);
    if (at !== null) return partBetween(text, at, at + shown.length);
  }
  return text.slice(selectionStart, selectionEnd).trim() === ''
    ? null
    : partBetween(text, selectionStart, selectionEnd);
}

/** Blanks at the ends stay; the indentation of the first line belongs to a part of several lines. */
function partBetween(text: string, start: number, end: number): Part {
  const content = text.slice(start, end);
  const to = start + content.trimEnd().length;
  let from = start + (/^(?:[ \t]*\n)*/.exec(content)?.[0].length ?? 0);
  const lineStart = text.lastIndexOf('\n', from - 1) + 1;
  if (text.slice(from, to).includes('\n') && text.slice(lineStart, from).trim() === '') from = lineStart;
  const startLine = text.slice(0, from).split('\n').length - 1;
  return { from, to, start: startLine, end: startLine + text.slice(from, to).split('\n').length };
}

/** Whether code begins and ends with lines inside of a part, so that the rest of the part stays. */
function isWithin(code: readonly string[], part: readonly string[]): boolean {
  const [lines, old] = [code, part].map((each) => each.map((line) => line.trim()).filter((line) => line !== ''));
  const first = lines?.at(0);
  const last = lines?.at(-1);
  if (old === undefined || first === undefined || last === undefined) return false;
  return old.includes(first, 1) && old[0] !== first && old.slice(0, -1).includes(last) && old.at(-1) !== last;
}

function contentOf(text: string, { from, to }: Part): string {
  return text.slice(from, to);
}

function over(text: string, part: Part, block: string): string {
  return text.slice(0, part.from) + reindent(block.trimEnd(), contentOf(text, part)) + text.slice(part.to);
}

/** The offset where a text has a part of it, nearest to another offset; null if it has it no more. */
export function nearestOccurrence(text: string, wanted: string, near: number): number | null {
  let nearest: number | null = null;
  for (const at of occurrences(text, wanted)) {
    if (nearest === null || Math.abs(at - near) < Math.abs(nearest - near)) nearest = at;
  }
  return nearest;
}

/**
 * By Knuth, Morris and Pratt, in linear time. The methods of strings compare a text of equal lines with a part of it
 * again and again, which takes minutes.
 */
function* occurrences(text: string, wanted: string): Generator<number> {
  // For each length of a beginning of `wanted`, how long its longest end is that begins it as well.
  const ends = new Int32Array(wanted.length + 1);
  const longer = (length: number, next: string | undefined): number => {
    let fitting = length;
    while (fitting > 0 && wanted[fitting] !== next) fitting = ends[fitting] ?? 0;
    return wanted[fitting] === next ? fitting + 1 : fitting;
  };
  for (let at = 1; at < wanted.length; at++) ends[at + 1] = longer(ends[at] ?? 0, wanted[at]);
  for (let at = 0, length = 0; at < text.length; at++) {
    length = longer(length, text[at]);
    if (length === wanted.length) {
      yield at + 1 - length;
      length = ends[length] ?? 0;
    }
  }
}

/** Models often write code without the indentation that it has in the document. */
export function reindent(block: string, replaced: string): string {
  const wanted = /^[ \t]*/.exec(replaced)?.[0] ?? '';
  if (wanted === '' || /^[ \t]/.test(block)) return block;
  return block
    .split('\n')
    .map((line) => (line === '' ? line : wanted + line))
    .join('\n');
}
