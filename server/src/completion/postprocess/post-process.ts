import type { CursorContext } from '../cursor-context.js';
import { trimClosersAlreadyPresent } from './closing-brackets.js';
import { dropEmpty } from './empty-suggestion.js';
import type { GeneratedText, SuggestionFilter } from './filter.js';
import { cutLeakedSpecialTokens } from './leaked-special-tokens.js';
import { trimSuffixOverlap } from './suffix-overlap.js';
import { trimTrailingWhitespace } from './trailing-whitespace.js';
import { dropUnfinishedLine } from './unfinished-line.js';

/** Every filter, in the order in which they run. */
const FILTERS: readonly (readonly [name: string, filter: SuggestionFilter])[] = [
  ['leaked special tokens', cutLeakedSpecialTokens],
  ['unfinished line', dropUnfinishedLine],
  ['suffix overlap', trimSuffixOverlap],
  ['closing brackets', trimClosersAlreadyPresent],
  ['trailing whitespace', trimTrailingWhitespace],
  ['empty', dropEmpty],
];

export type PostProcessed =
  | { readonly kind: 'kept'; readonly text: string }
  /** Nothing is left; `by` names the filter that took the last of it. */
  | { readonly kind: 'dropped'; readonly by: string };

export function postProcess(generated: GeneratedText, cursor: CursorContext): PostProcessed {
  let text = generated.text;
  if (text === '') return { kind: 'dropped', by: 'nothing generated' };
  for (const [name, filter] of FILTERS) {
    text = filter({ ...generated, text }, cursor);
    if (text === '') return { kind: 'dropped', by: name };
  }
  return { kind: 'kept', text };
}
