/** The document that a code block of an answer may change. */
export interface ChangeTarget {
  /** The current document. */
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
 * The document with the code block inserted. The block replaces, in this order: the shown part if it still exists, the
 * selection, a file that was shown whole and is not much longer. Otherwise it goes in at the cursor.
 */
export function proposeChange(code: string, target: ChangeTarget): string {
  const { text, shown, wholeFile, selectionStart, selectionEnd } = target;
  const block = code.replace(/\n$/, '');
  if (shown !== null && shown.trim() !== '') {
    const at = nearestOccurrence(text, shown, selectionStart);
    if (at !== null) {
      const ending = shown.endsWith('\n') ? '\n' : '';
      return replace(text, at, at + shown.length, reindent(block, shown) + ending);
    }
  }
  if (selectionEnd > selectionStart) {
    return replace(text, selectionStart, selectionEnd, reindent(block, text.slice(selectionStart, selectionEnd)));
  }
  if (wholeFile && lineCount(block) >= lineCount(text) * WHOLE_FILE_SHARE) return `${block}\n`;
  return replace(text, selectionStart, selectionStart, block);
}

function nearestOccurrence(text: string, wanted: string, near: number): number | null {
  let nearest: number | null = null;
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) {
    if (nearest === null || Math.abs(at - near) < Math.abs(nearest - near)) nearest = at;
  }
  return nearest;
}

/** Models often write code without the indentation that it has in the document. */
function reindent(block: string, replaced: string): string {
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

function lineCount(text: string): number {
  return text.trimEnd().split('\n').length;
}
