import { declaredAgain, leavesOut, placeByLines, placesByName } from './code-place.js';
import { withHunks } from './line-hunks.js';

/** The document that a code block of an answer may change. */
export interface ChangeTarget {
  /** The current document, with `\n` for line breaks. */
  readonly text: string;
  /** The part of it that the question showed; null for none or all. */
  readonly shown: string | null;
  /** Whether the question showed all of it. */
  readonly wholeFile: boolean;
  /** Offsets of the selection; equal for a mere cursor. */
  readonly selectionStart: number;
  readonly selectionEnd: number;
}

/** A block replaces a whole file only if it has at least this share of its lines. */
const WHOLE_FILE_SHARE = 0.5;

/**
 * The document with the code block inserted. The block replaces, in this order: the shown part if it still exists,
 * selected lines, a file that it repeats whole, the declarations that it contains, the lines around equal ones, a
 * selection within a line, a shown file that is not much longer. It goes in at the cursor only if the question showed
 * nothing of the document.
 *
 * @returns null if the block has no certain place
 */
export function proposeChange(code: string, target: ChangeTarget): string | null {
  const { text, shown, wholeFile, selectionStart, selectionEnd } = target;
  const block = code.replace(/\n$/, '');
  if (shown !== null && shown.trim() !== '') {
    const at = nearestOccurrence(text, shown, selectionStart);
    if (at !== null) {
      const ending = shown.endsWith('\n') ? '\n' : '';
      return replace(text, at, at + shown.length, reindent(block, shown) + ending);
    }
  }
  const selected = text.slice(selectionStart, selectionEnd);
  const overSelection = () => replace(text, selectionStart, selectionEnd, reindent(block, selected));
  if (selected.includes('\n')) return overSelection();
  const lines = block.split('\n');
  const textLines = text.split('\n');
  const isLong = lines.length >= textLines.length * WHOLE_FILE_SHARE && !leavesOut(lines);
  const again = declaredAgain(lines, textLines);
  if (wholeFile && isLong && again === 'all') return `${block}\n`;
  const byLines = () => {
    const place = placeByLines(lines, textLines);
    return place === null ? null : [place];
  };
  const places = placesByName(lines, textLines) ?? byLines();
  if (places !== null) return withHunks(textLines, places).join('\n');
  if (selected !== '') return overSelection();
  if (wholeFile && isLong && again === 'textHasNone') return `${block}\n`;
  return wholeFile || shown !== null ? null : replace(text, selectionStart, selectionStart, block);
}

/** The offset where a text has a part of it, nearest to another offset; null if it has it no more. */
export function nearestOccurrence(text: string, wanted: string, near: number): number | null {
  let nearest: number | null = null;
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    if (nearest === null || Math.abs(at - near) < Math.abs(nearest - near)) nearest = at;
  }
  return nearest;
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

function replace(text: string, start: number, end: number, by: string): string {
  return text.slice(0, start) + by + text.slice(end);
}
