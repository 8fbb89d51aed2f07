import { type Change, smallestChange } from '../../util/smallest-change.js';
import type { RewriteQuestion } from '../formats/rewrite-format.js';
import type { Rewrite } from '../rewrite/rewriter.js';
import { replacedByEdits, replacedIn } from './changed-words.js';
import { takesBack } from './reversal.js';
import type { RewriteGate } from './rewrite-gate.js';
import { evidenceOf } from './rewrite-odds.js';

/** Why a rewrite is not shown. */
export type SilentReason =
  | 'unchanged'
  | 'damaged'
  | 'onlyBlanks'
  | 'tooMuch'
  | 'takesBack'
  | 'unsure'
  | 'newSyntaxError';

export type Judgement =
  | { readonly kind: 'show'; readonly change: Change }
  | { readonly kind: 'silent'; readonly reason: SilentReason };

/** A rewrite of more lines is a new text, not the next edit. */
const MOST_CHANGED_LINES = 8;
const LONGEST_CHANGE = 600;

/**
 * Whether a rewrite is worth showing.
 *
 * @param gate of the model
 * @param addsErrors whether a change of the region makes the file's syntax worse
 */
export function judgeRewrite(
  rewrite: Pick<Rewrite, 'answer' | 'departure' | 'decoded'>,
  { current, edits }: Pick<RewriteQuestion, 'current' | 'edits'>,
  gate: RewriteGate,
  addsErrors: (change: Change) => boolean,
): Judgement {
  const { answer } = rewrite;
  if (answer.kind === 'damaged') return silent('damaged');
  const change = answer.kind === 'rewritten' ? smallestChange(current, answer.region) : null;
  if (answer.kind === 'unchanged' || change === null) return silent('unchanged');
  const old = current.slice(change.start, change.end);
  if (withoutBlanks(old) === withoutBlanks(change.newText)) return silent('onlyBlanks');
  if (isTooMuch(old, change.newText)) return silent('tooMuch');
  const replaced = replacedIn(current, answer.region);
  const made = replacedByEdits(edits);
  if (takesBack(replaced, made)) return silent('takesBack');
  const evidence = evidenceOf(rewrite, replaced, made);
  if (evidence === null || !gate.passes(evidence)) return silent('unsure');
  return addsErrors(change) ? silent('newSyntaxError') : { kind: 'show', change };
}

function silent(reason: SilentReason): Judgement {
  return { kind: 'silent', reason };
}

function isTooMuch(old: string, made: string): boolean {
  const lines = Math.max(old.split('\n').length, made.split('\n').length);
  return lines > MOST_CHANGED_LINES || old.length > LONGEST_CHANGE || made.length > LONGEST_CHANGE;
}

function withoutBlanks(text: string): string {
  return text.replace(/\s/g, '');
}
