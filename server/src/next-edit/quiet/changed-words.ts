import type { RecentEdit } from '../formats/rewrite-format.js';
import { differingTokens, tokensOf } from '../repeat/token-difference.js';

/** One stretch of tokens that was replaced by another. Blanks count as text. */
export interface Replaced {
  readonly from: string;
  readonly to: string;
}

export function replacedIn(before: string, after: string): readonly Replaced[] {
  const [old, made] = [tokensOf(before), tokensOf(after)];
  return differingTokens(old, made).map(({ start, end, newStart, newEnd }) => ({
    from: old.slice(start, end).join(''),
    to: made.slice(newStart, newEnd).join(''),
  }));
}

/** Everything that the recent edits replaced, oldest first. */
export function replacedByEdits(edits: readonly Pick<RecentEdit, 'original' | 'updated'>[]): readonly Replaced[] {
  return edits.flatMap(({ original, updated }) => replacedIn(original, updated));
}
