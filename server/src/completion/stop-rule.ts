import type { CursorContext } from './cursor-context.js';

/** Where a suggestion ends, decided before it is generated. */
export type StopRule =
  /** At the end of the line. */
  | { readonly kind: 'line' }
  /** At the end of the statement or block that the cursor's line begins, or at a blank line. */
  | { readonly kind: 'block'; readonly linePrefix: string; readonly followingLine: string | null };

/** More lines than this are not read as ghost text, they are skipped. */
const MAX_LINES = 12;

export function chooseStopRule(cursor: CursorContext): StopRule {
  if (cursor.lineSuffix.trim() !== '') return { kind: 'line' };
  return { kind: 'block', linePrefix: cursor.linePrefix, followingLine: cursor.followingLine };
}

/**
 * The length at which generated text must be cut, or null while it may go on. Called with the whole text after each
 * piece that arrives; only what no further text can change is decided.
 * @param ended no further text will come: the last line is complete
 */
export function findStop(generated: string, rule: StopRule, ended = false): number | null {
  const text = ended ? `${generated}\n` : generated;
  const firstLineEnd = text.indexOf('\n');
  if (firstLineEnd < 0) return null;
  switch (rule.kind) {
    case 'line':
      return firstLineEnd;
    case 'block':
      return findBlockEnd(text, firstLineEnd, rule.linePrefix, rule.followingLine);
  }
}

function findBlockEnd(
  text: string,
  firstLineEnd: number,
  linePrefix: string,
  followingLine: string | null,
): number | null {
  const firstLine = linePrefix + text.slice(0, firstLineEnd);
  let insideBlock = opensBlock(firstLine);
  // On a line of its own the suggestion may be several statements; after typed code it only finishes that code.
  const statementsMayFollow = linePrefix.trim() === '' && firstLine.trim() !== '' && !startsWithCloser(firstLine);
  if (!insideBlock && !statementsMayFollow) return firstLineEnd;
  const baseIndentation = indentationOf(firstLine);

  let previousLineEnd = firstLineEnd;
  for (let lineNumber = 2; ; lineNumber++) {
    if (lineNumber > MAX_LINES) return previousLineEnd;
    const lineStart = previousLineEnd + 1;
    const newline = text.indexOf('\n', lineStart);
    const complete = newline >= 0;
    const line = text.slice(lineStart, complete ? newline : undefined);

    if (line.trim() === '') return complete ? previousLineEnd : null;
    if (followingLine !== null) {
      if (complete && line.trimEnd() === followingLine) return previousLineEnd;
      if (!complete && followingLine.startsWith(line)) return null;
    }
    const indentation = indentationOf(line);
    if (indentation < baseIndentation) return previousLineEnd;
    if (indentation === baseIndentation) {
      const closes = startsWithCloser(line);
      if (insideBlock ? !closes : !statementsMayFollow) return previousLineEnd;
      if (!complete) return null;
      const opensAgain = opensBlock(line);
      if (closes && !opensAgain) return newline;
      insideBlock = opensAgain;
    }
    if (!complete) return null;
    previousLineEnd = newline;
  }
}

function opensBlock(line: string): boolean {
  return /(?:[{([:]|=>)\s*$/.test(line);
}

function startsWithCloser(line: string): boolean {
  return /^\s*[)\]}]/.test(line);
}

/** In columns; a tab counts as four. */
function indentationOf(line: string): number {
  const blanks = /^[ \t]*/.exec(line)?.[0] ?? '';
  return blanks.replaceAll('\t', '    ').length;
}

/** The part of unfinished text that can be shown without changing later: its complete lines. */
export function presentablePart(text: string): string {
  const end = text.lastIndexOf('\n');
  return end < 0 ? '' : text.slice(0, end).trimEnd();
}
