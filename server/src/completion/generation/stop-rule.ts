import type { CursorContext } from '../cursor/cursor-context.js';
import type { CursorSyntax } from '../cursor/cursor-syntax.js';
import { indentationOf, startsWithCloser } from '../cursor/line-shape.js';

/** How far a suggestion may go, decided before generation. `StopTracker` applies it to the growing text. */
export interface StopRule {
  /** `line`: to the end of the cursor's line. `block`: also through the block that this line opens, if any. */
  readonly extent: 'line' | 'block';
  /** On an empty line: whether more statements may follow the first. */
  readonly severalStatements: boolean;
  /** Whether the code around the cursor opens blocks with a bracket on a line of its own. */
  readonly opensOnOwnLine: boolean;
  readonly languageId: string;
  readonly linePrefix: string;
  readonly lineSuffix: string;
  /** The next lines that are not blank, without blanks at their ends; at most three. */
  readonly followingLines: readonly string[];
}

/** Closers that an editor adds, and ends of statements: a suggestion may continue despite them. */
const ONLY_CLOSERS = /^[)\]}\s]*(?:[;,]\s*)?$/;

/** Below what may be the head of a block. */
const OPENER_ON_OWN_LINE = /[^\s{}([\];,=:][ \t]*\n[ \t]*\{[ \t]*\n/;
/** On each side of the cursor. */
const AROUND_CHARACTERS = 4_096;

function around({ prefix, suffix }: CursorContext): string {
  return `${prefix.slice(-AROUND_CHARACTERS)}\n${suffix.slice(0, AROUND_CHARACTERS)}`;
}

/** One line or several, from the syntax at the cursor. */
export function chooseStopRule(cursor: CursorContext, syntax: CursorSyntax): StopRule {
  const { linePrefix, lineSuffix } = cursor;
  const mayOpenBlock = syntax.scope === 'code' && ONLY_CLOSERS.test(lineSuffix);
  const ownLine = linePrefix.trim() === '' && lineSuffix.trim() === '';
  return {
    extent: mayOpenBlock ? 'block' : 'line',
    severalStatements: mayOpenBlock && ownLine && !siblingFollows(cursor, syntax),
    opensOnOwnLine: OPENER_ON_OWN_LINE.test(around(cursor)),
    languageId: syntax.languageId,
    linePrefix,
    lineSuffix,
    followingLines: followingLines(cursor),
  };
}

/** Between two statements one more is enough; at the end of a block or paragraph several may follow. */
function siblingFollows({ suffix, lineSuffix, linePrefix }: CursorContext, { block }: CursorSyntax): boolean {
  if (block?.empty === true) return false;
  const [nextLine = ''] = suffix.slice(lineSuffix.length + 1).split('\n', 1);
  if (nextLine.trim() === '' || startsWithCloser(nextLine)) return false;
  return indentationOf(nextLine) >= indentationOf(linePrefix);
}

function followingLines({ suffix, lineSuffix }: CursorContext): readonly string[] {
  const lines: string[] = [];
  let start = lineSuffix.length + 1;
  while (lines.length < MAX_FOLLOWING_LINES && start < suffix.length) {
    const lineFeed = suffix.indexOf('\n', start);
    const end = lineFeed < 0 ? suffix.length : lineFeed;
    const line = suffix.slice(start, end).trimEnd();
    if (line !== '') lines.push(line);
    start = end + 1;
  }
  return lines;
}

const MAX_FOLLOWING_LINES = 3;
