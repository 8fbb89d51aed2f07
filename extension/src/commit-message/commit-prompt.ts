import { type ChatMessage, cutText, toLineFeeds } from '../../../server/protocol/index.js';
import { rulesPrompt } from '../chat/attachments/project-prompts.js';
import { fenced } from '../chat/conversation/question-text.js';

const INSTRUCTIONS =
  'You write commit messages. Answer with the message alone: a subject line in the imperative with at most 72 characters, then a blank line and a short body only if the subject does not say enough. Say what changes and why, not which files.';

/** In characters. What is beyond does not change what a commit is about. */
export const LONGEST_FILE = 4_000;
const LONGEST_DIFF = 16_000;
const LONGEST_MESSAGE = 2_000;
const LONGEST_SUBJECT = 200;
/** More of an answer is not read. */
export const LONGEST_ANSWER = 4 * LONGEST_MESSAGE;
const MOST_RULES = 2_000;

const FENCE = /^\s*(`{3,}|~{3,})[^`]*$/;
/** What models say before the message. */
const CONSENT = /^(?:sure|certainly|of course|absolutely|okay|ok)[!.,]*$/i;
const WORD_OF_INTRODUCTION = /\b(?:commit|message|subject|here|hier|sure|certainly)\b/i;
const HERE_IS = /^here(?:'s|’s| is)\b/i;
const LABEL = /^(?:\*\*)?(?:here(?:'s|’s| is) (?:[\w-]+ ){0,4})?(?:commit message|subject)(?: line)?:(?:\*\*)?\s*/i;

const QUOTES = '"\'`*';

export interface Commit {
  /** Diffs of the files that may be shown. */
  readonly diffs: readonly string[];
  /** The number of changed files that may not be shown. */
  readonly hidden: number;
  /** Subjects of the last commits, for their style. */
  readonly subjects: readonly string[];
  /** What the user has written already. */
  readonly begun: string;
  /** The project's rules; null without any. */
  readonly rules: string | null;
}

export function commitMessages({ diffs, hidden, subjects, begun, rules }: Commit): ChatMessage[] {
  let left = LONGEST_DIFF;
  let cut = 0;
  const shown: string[] = [];
  for (const diff of diffs) {
    const text = cutText(diff, Math.min(left, LONGEST_FILE));
    left -= text.length;
    if (text === '') cut++;
    else shown.push(text.length < diff.length ? `${text}\n…` : text);
  }
  const parts = [
    ...(subjects.length === 0 ? [] : [`The last commits:\n${fenced(subjects.map(subjectOf).join('\n'), '')}`]),
    `The changes:\n${fenced(shown.join('\n'), 'diff')}`,
    ...moreFiles(hidden + cut),
    ...(begun.trim() === ''
      ? []
      : [`The message begins with, or is about:\n${fenced(cutText(begun, LONGEST_MESSAGE), '')}`]),
    'Write the commit message.',
  ];
  return [
    { role: 'system', text: rules === null ? INSTRUCTIONS : `${INSTRUCTIONS}\n\n${rulesPrompt(rules, MOST_RULES)}` },
    { role: 'user', text: parts.join('\n\n') },
  ];
}

function moreFiles(count: number): readonly string[] {
  if (count === 0) return [];
  return [count === 1 ? 'One more file changes.' : `${count} more files change.`];
}

/** The message in an answer, which may be any text; null if there is none. */
export function readCommitMessage(answer: string): string | null {
  const lines = toLineFeeds(cutText(answer, LONGEST_ANSWER))
    .replaceAll(/[^\P{Cc}\n]/gu, '')
    .split('\n')
    .map((line) => line.trimEnd());
  const said = afterIntroduction(lines);
  const fence = FENCE.exec(said[0] ?? '')?.[1] ?? null;
  const end = fence === null ? -1 : said.findIndex((line, at) => at > 0 && line.trim().startsWith(fence));
  const written = fence === null ? said : afterIntroduction(said.slice(1, end < 0 ? undefined : end));
  const [subject = '', ...body] = written;
  const plain = withoutQuotes(subject.replace(LABEL, ''));
  if (plain === '' || plain.length > LONGEST_SUBJECT) return null;
  // The end of a block that the answer did not begin.
  const fences = body.filter((line) => FENCE.test(line));
  const last = body.findLastIndex((line) => line !== '');
  const isStray = fences.length % 2 === 1 && fences.at(-1) === body[last];
  return cutText([plain, ...(isStray ? body.slice(0, last) : body)].join('\n'), LONGEST_MESSAGE).trim();
}

/** Without the lines in which a model says what follows. */
function afterIntroduction(lines: readonly string[]): readonly string[] {
  const first = lines.findIndex((line, at) => {
    const text = line.replaceAll('*', '').trim();
    return text !== '' && !CONSENT.test(text) && !introduces(text) && !(text.endsWith(':') && isFenceNext(lines, at));
  });
  return first < 0 ? [] : lines.slice(first);
}

/** Searches once for each thing that must be there: one expression for all would search for each at every place. */
function introduces(text: string): boolean {
  if (text.endsWith(':')) return WORD_OF_INTRODUCTION.test(text);
  return HERE_IS.test(text) && !text.includes(':') && /\bmessage\b/i.test(text);
}

function isFenceNext(lines: readonly string[], at: number): boolean {
  let next = at + 1;
  while (lines[next] === '') next++;
  return FENCE.test(lines[next] ?? '');
}

/** A loop, since an expression for the end of a text tries again at each mark of a long run. */
function withoutQuotes(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && QUOTES.includes(text.charAt(start))) start++;
  while (end > start && QUOTES.includes(text.charAt(end - 1))) end--;
  return text.slice(start, end);
}

function subjectOf(message: string): string {
  return cutText(message, LONGEST_SUBJECT).split('\n')[0] ?? '';
}
