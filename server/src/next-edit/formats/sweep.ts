import {
  ended,
  MOST_EDITS,
  type PromptPiece,
  type RecentEdit,
  type RewriteFormat,
  type RewritePrompt,
  type RewriteQuestion,
  regionAnswer,
  withMark,
} from './rewrite-format.js';

/** In what the members of the family differ. */
export interface SweepDialect {
  /** The file around the region comes first. */
  readonly wholeFile: boolean;
  /** Snippets of other files stand before the edits, as files do. */
  readonly related: boolean;
  /** Paths of regions carry the numbers of their first and last line. */
  readonly regionLines: boolean;
  /** Paths of edits carry line numbers instead of `.diff`. */
  readonly editLines: boolean;
  /** The present text has a mark at the cursor. */
  readonly cursor: boolean;
  readonly linesBehind: number;
  readonly mostEdits: number;
  /** Unchanged lines on each side of an edit; null for as many as it was told with. */
  readonly editMargin: number | null;
}

/**
 * Inkling's own models, from media/model/MODEL_CARD.md. They say as much with three edits and a line around each as with
 * four and two, and the prompt is a sixth shorter.
 */
export const STARTER: SweepDialect = {
  wholeFile: false,
  related: false,
  regionLines: true,
  editLines: false,
  cursor: false,
  linesBehind: 9,
  mostEdits: 3,
  editMargin: 1,
};

/** sweep-next-edit 0.5B and 1.5B, from the models' `run_model.py`. */
export const SWEEP_1: SweepDialect = {
  wholeFile: false,
  related: true,
  regionLines: false,
  editLines: false,
  cursor: false,
  linesBehind: 10,
  mostEdits: MOST_EDITS,
  editMargin: null,
};

/** sweep-next-edit-v2 7B, from the model's `inference.py`. */
export const SWEEP_2: SweepDialect = {
  wholeFile: true,
  related: true,
  regionLines: true,
  editLines: true,
  cursor: true,
  linesBehind: 10,
  mostEdits: MOST_EDITS,
  editMargin: null,
};

const FILE: PromptPiece = { special: '<|file_sep|>' };
const CURSOR: PromptPiece = { special: '<|cursor|>' };
const FILE_LINES = 50;

/** Blocks of old and new text instead of diffs: https://blog.sweep.dev/posts/oss-next-edit */
export function sweep(dialect: SweepDialect): RewriteFormat {
  const around = dialect.wholeFile ? FILE_LINES : 0;
  return {
    region: { before: 10, behind: dialect.linesBehind },
    around,
    related: dialect.related,
    mostEdits: dialect.mostEdits,
    promptFor: (question) => promptFor(question, dialect),
  };
}

function promptFor(question: RewriteQuestion, dialect: SweepDialect): RewritePrompt {
  const { path, related, edits, firstLine, original, current, cursor, above, below } = question;
  const region = dialect.regionLines ? `${path}:${firstLine}:${lastLine(firstLine, current)}` : path;
  const file = dialect.wholeFile ? [[FILE, `${path}\n`, ended(above + current + below)]] : [];
  return {
    sections: [
      ...related.map((snippet) => [FILE, `${snippet.path}\n${ended(snippet.text)}`]),
      ...file,
      ...edits.slice(-dialect.mostEdits).map((edit) => editSection(edit, dialect)),
      [FILE, `original/${region}\n`, ended(original)],
      [FILE, `current/${region}\n`, ...marked(current, dialect.cursor ? cursor : null), FILE, `updated/${region}\n`],
    ],
    silent: current,
    old: current,
    ending: '',
    stops: [],
    spelled: [],
    read: (answer) => regionAnswer(answer, question),
  };
}

function marked(current: string, cursor: number | null): readonly PromptPiece[] {
  return [...withMark(current, cursor, CURSOR), current.endsWith('\n') ? '' : '\n'];
}

function editSection({ path, line, original, updated }: RecentEdit, { editLines, editMargin }: SweepDialect) {
  const name = editLines && line !== null ? `${path}:${line}:${lastLine(line, updated)}` : `${path}.diff`;
  const [before, after] = editMargin === null ? [original, updated] : withMargin(original, updated, editMargin);
  return [FILE, `${name}\noriginal:\n${ended(before)}updated:\n${ended(after)}`];
}

/** Two texts without the lines that both begin and end with, but for some next to what differs. */
function withMargin(one: string, other: string, margin: number): readonly [string, string] {
  const [before, after] = [one.split('\n'), other.split('\n')];
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start++;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  const part = (lines: readonly string[]) =>
    lines.slice(Math.max(0, start - margin), lines.length - Math.max(0, end - margin)).join('\n');
  return [part(before), part(after)];
}

function lastLine(firstLine: number, text: string): number {
  return firstLine + Math.max(0, ended(text).split('\n').length - 2);
}
