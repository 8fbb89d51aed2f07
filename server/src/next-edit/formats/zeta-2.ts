import {
  ended,
  MOST_EDITS,
  type PromptPiece,
  type RecentEdit,
  type RewriteAnswer,
  type RewriteFormat,
  type RewritePrompt,
  type RewriteQuestion,
  regionAnswer,
  withMark,
} from './rewrite-format.js';
import { unifiedDiff } from './unified-diff.js';

const SUFFIX: PromptPiece = { special: '<[fim-suffix]>' };
const PREFIX: PromptPiece = { special: '<[fim-prefix]>' };
const MIDDLE: PromptPiece = { special: '<[fim-middle]>' };
const FILE: PromptPiece = { special: '<filename>' };
export const ZETA_CURSOR: PromptPiece = { special: '<|user_cursor|>' };
const END = '>>>>>>> UPDATED';
const NO_EDITS = 'NO_EDITS';

/** Zed's second model, on Seed-Coder: crates/zeta_prompt of zed-industries/zed, module `seed_coder`. */
export const zeta2: RewriteFormat = {
  region: { before: 10, behind: 9 },
  around: 15,
  related: true,
  mostEdits: MOST_EDITS,
  promptFor,
};

function promptFor(question: RewriteQuestion): RewritePrompt {
  const { current, cursor } = question;
  return {
    sections: seedCoderSections(question, [
      '<<<<<<< CURRENT\n',
      ...withMark(current, cursor, ZETA_CURSOR),
      current.endsWith('\n') ? '' : '\n',
      '=======\n',
    ]),
    silent: `${NO_EDITS}\n`,
    old: current,
    ending: END,
    stops: [END],
    spelled: ['<|user_cursor|>'],
    read: (answer) => read(answer, question),
  };
}

/** The prompt with the suffix first, as Seed-Coder was trained. @param region the marked region */
export function seedCoderSections(
  { path, related, edits, above, below }: RewriteQuestion,
  region: readonly PromptPiece[],
): readonly (readonly PromptPiece[])[] {
  const history = edits.map((edit, index) =>
    [index === 0 ? [FILE, 'edit_history\n'] : [], [describeEdit(edit)]].flat(),
  );
  const last = history.at(-1);
  if (last !== undefined) last.push('\n');
  return [
    [SUFFIX, below === '' ? '\n' : ended(below), PREFIX],
    ...related.map((snippet) => [FILE, `${snippet.path}\n${ended(snippet.text)}\n`]),
    ...history,
    [FILE, `${path}\n`, above, ...region, MIDDLE],
  ];
}

function describeEdit({ path, line, original, updated }: RecentEdit): PromptPiece {
  return `--- a/${path}\n+++ b/${path}\n${unifiedDiff(original, updated, line ?? 1)}`;
}

function read(answer: string, question: RewriteQuestion): RewriteAnswer {
  const text = answer.replaceAll('<|user_cursor|>', '');
  const end = text.indexOf(END);
  const region = end < 0 ? text : text.slice(0, end);
  return region.trim() === NO_EDITS ? { kind: 'unchanged' } : regionAnswer(region, question);
}
