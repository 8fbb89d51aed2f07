import { snippetTokens } from '../prompt/context-text.js';
import type { ContextCandidate } from './context-source.js';

export interface SelectionInput {
  readonly candidates: readonly ContextCandidate[];
  /** The snippets of this document's last prompt, in order. */
  readonly previous: readonly ContextCandidate[];
  readonly budgetTokens: number;
  /** Lines that the prompt contains anyway. */
  readonly shownLines: readonly string[];
}

/** A shown snippet stays unless another is this much better, since each change costs an evaluation. */
const STAYING_BONUS = 1.3;
/** A long prompt has room for more of them. */
const LEAST_SNIPPETS = 12;
const TOKENS_PER_SNIPPET = 48;
/** A file may import tens of thousands of declarations. Worse ones would not be shown. */
const MAXIMUM_CANDIDATES = 512;
/** A snippet with this share of its lines already in the prompt adds nothing. */
const REPEATED_SHARE = 0.6;
/** Lower for two snippets of one file, which must not overlap. */
const REPEATED_SHARE_OF_FILE = 0.25;

/**
 * The candidates worth their tokens, in the prompt's order. Snippets shown before keep their place. New ones follow,
 * the best last, nearest to the code. Equal inputs give equal results.
 */
export function selectSnippets({ candidates, previous, budgetTokens, shownLines }: SelectionInput): ContextCandidate[] {
  const before = new Map(previous.map((snippet, index) => [identity(snippet), index]));
  const ranked = candidates
    // Once for each: sorting compares most of them many times.
    .map((candidate) => {
      const bonus = before.size > 0 && before.has(identity(candidate)) ? STAYING_BONUS : 1;
      return { candidate, worth: candidate.score * bonus };
    })
    .sort((left, right) => right.worth - left.worth || byPlace(left.candidate, right.candidate))
    .slice(0, MAXIMUM_CANDIDATES)
    .map(({ candidate }) => candidate);

  const shown = new Set(shownLines.map((line) => line.trim()));
  const shownOfFile = new Map<string, ReadonlySet<string>>();
  const chosen = new Map<string, ContextCandidate>();
  const most = Math.max(LEAST_SNIPPETS, Math.floor(budgetTokens / TOKENS_PER_SNIPPET));
  let left = budgetTokens;
  for (const candidate of ranked) {
    if (chosen.size === most) break;
    const lines = distinctiveLines(candidate.text);
    const ofFile = shownOfFile.get(candidate.path) ?? new Set();
    const repeats = shareIn(shown, lines) >= REPEATED_SHARE || shareIn(ofFile, lines) >= REPEATED_SHARE_OF_FILE;
    const tokens = snippetTokens(candidate);
    if (lines.length === 0 || repeats || tokens > left) continue;
    chosen.set(identity(candidate), candidate);
    left -= tokens;
    for (const line of lines) shown.add(line);
    shownOfFile.set(candidate.path, new Set([...ofFile, ...lines]));
  }

  const kept = previous.flatMap((snippet) => chosen.get(identity(snippet)) ?? []);
  const added = [...chosen.values()].filter((candidate) => !before.has(identity(candidate)));
  return [...kept, ...inFileOrder(added)];
}

/** Candidates with the same identity look the same in the prompt. */
export function identity({ path, text }: ContextCandidate): string {
  return `${path}\n${text}`;
}

/** Groups snippets by file, in the order of the file; the file with the best snippet comes last. */
function inFileOrder(snippets: readonly ContextCandidate[]): ContextCandidate[] {
  const best = new Map<string, number>();
  for (const { path, score } of snippets) best.set(path, Math.max(score, best.get(path) ?? 0));
  const bestOf = ({ path }: ContextCandidate): number => best.get(path) ?? 0;
  return [...snippets].sort((left, right) => bestOf(left) - bestOf(right) || byPlace(left, right));
}

function byPlace(left: ContextCandidate, right: ContextCandidate): number {
  if (left.path !== right.path) return left.path < right.path ? -1 : 1;
  return left.line - right.line || (left.text < right.text ? -1 : left.text > right.text ? 1 : 0);
}

function shareIn(shown: ReadonlySet<string>, lines: readonly string[]): number {
  return lines.filter((line) => shown.has(line)).length / Math.max(1, lines.length);
}

/** Trimmed lines, without blank ones and those with brackets only. */
function distinctiveLines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => /[\p{L}\p{N}]/u.test(line));
}
