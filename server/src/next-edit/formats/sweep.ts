import {
  ended,
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
}

/** Inkling's own models, from media/model/MODEL_CARD.md. */
export const STARTER: SweepDialect = {
  wholeFile: false,
  related: false,
  regionLines: true,
  editLines: false,
  cursor: false,
  linesBehind: 9,
};

/** sweep-next-edit 0.5B and 1.5B, from the models' `run_model.py`. */
export const SWEEP_1: SweepDialect = {
  wholeFile: false,
  related: true,
  regionLines: false,
  editLines: false,
  cursor: false,
  linesBehind: 10,
};

/** sweep-next-edit-v2 7B, from the model's `inference.py`. */
export const SWEEP_2: SweepDialect = {
  wholeFile: true,
  related: true,
  regionLines: true,
  editLines: true,
  cursor: true,
  linesBehind: 10,
};

const FILE: PromptPiece = { special: '<|file_sep|>' };
const CURSOR: PromptPiece = { special: '<|cursor|>' };
const MOST_EDITS = 4;
const FILE_LINES = 50;

/** Blocks of old and new text instead of diffs: https://blog.sweep.dev/posts/oss-next-edit */
export function sweep(dialect: SweepDialect): RewriteFormat {
  const around = dialect.wholeFile ? FILE_LINES : 0;
  return {
    region: { before: 10, behind: dialect.linesBehind },
    around,
    related: dialect.related,
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
      ...edits.slice(-MOST_EDITS).map((edit) => editSection(edit, dialect)),
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

function editSection({ path, line, original, updated }: RecentEdit, { editLines }: SweepDialect) {
  const name = editLines && line !== null ? `${path}:${line}:${lastLine(line, updated)}` : `${path}.diff`;
  return [FILE, `${name}\noriginal:\n${ended(original)}updated:\n${ended(updated)}`];
}

function lastLine(firstLine: number, text: string): number {
  return firstLine + Math.max(0, ended(text).split('\n').length - 2);
}
