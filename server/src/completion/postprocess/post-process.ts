import { t } from '../../../protocol/index.js';
import { dropBrokenSyntax } from './broken-syntax.js';
import { trimClosersAlreadyPresent } from './closing-brackets.js';
import { cutCodeFences } from './code-fences.js';
import type { FilterInput, SuggestionFilter } from './filter.js';
import { trimFollowingLines } from './following-lines.js';
import { fitIndentation } from './indentation.js';
import { trimJoint } from './joint.js';
import { trimLeadingBlankLines } from './leading-blank-lines.js';
import { cutLeakedSpecialTokens } from './leaked-special-tokens.js';
import { dropLowConfidence } from './low-confidence.js';
import { dropTooLittle } from './minimum-content.js';
import { closeOpenBrackets } from './open-brackets.js';
import { cutPathEcho } from './path-echo.js';
import { dropPrecedingLines } from './preceding-lines.js';
import { cutRepeatedBlocks } from './repeated-blocks.js';
import { trimSuffixOverlap } from './suffix-overlap.js';
import { trimTrailingWhitespace } from './trailing-whitespace.js';
import { dropUndoneEdit } from './undone-edit.js';
import { dropUnfinishedLine } from './unfinished-line.js';

/**
 * Every filter in the order of running, with the text for the user if it leaves nothing. The first ones remove what is
 * no code, the next fit the text into its surroundings, the last judge whether the result is worth showing.
 */
const FILTERS = [
  [
    'leakedSpecialTokens',
    cutLeakedSpecialTokens,
    () => t('The model wrote one of its own control words instead of code.'),
  ],
  ['codeFences', cutCodeFences, () => t('The model began to write Markdown instead of code.')],
  ['pathEcho', cutPathEcho, () => t('The model repeated the name of the file.')],
  ['unfinishedLine', dropUnfinishedLine, () => t('The suggestion was cut off before it said anything.')],

  ['joint', trimJoint, () => t('The model only repeated what is typed already.')],
  ['leadingBlankLines', trimLeadingBlankLines, () => t('The suggestion is blank.')],
  ['indentation', fitIndentation, () => t('The suggestion is blank.')],
  ['followingLines', trimFollowingLines, () => t('The suggestion is what follows the cursor already.')],
  ['suffixOverlap', trimSuffixOverlap, () => t('The suggestion is what follows on the line already.')],
  [
    'closingBrackets',
    trimClosersAlreadyPresent,
    () => t('The suggestion is a closing bracket or quote that is there already.'),
  ],
  ['openBrackets', closeOpenBrackets, () => t('The suggestion is blank.')],
  ['precedingLines', dropPrecedingLines, () => t('The suggestion repeats the lines before the cursor.')],
  ['repeatedBlocks', cutRepeatedBlocks, () => t('The suggestion repeats itself.')],
  ['trailingWhitespace', trimTrailingWhitespace, () => t('The suggestion is blank.')],

  ['minimumContent', dropTooLittle, () => t('The suggestion is a stray sign, not code.')],
  ['undoneEdit', dropUndoneEdit, () => t('The suggestion would undo what you changed just now.')],
  [
    'brokenSyntax',
    dropBrokenSyntax,
    () => t('The suggestion would leave the file with a syntax error that it does not have now.'),
  ],
  ['lowConfidence', dropLowConfidence, () => t('The model is not sure enough of the suggestion.')],
] as const satisfies readonly (readonly [name: string, filter: SuggestionFilter, sentence: () => string])[];

export type FilterName = (typeof FILTERS)[number][0];

/** The filter that removed the last of a text; `nothingGenerated` if there was no text. */
export type DropReason = FilterName | 'nothingGenerated';

export type PostProcessed =
  /** `changedBy` names the filters that changed the text. */
  | { readonly kind: 'kept'; readonly text: string; readonly changedBy: readonly FilterName[] }
  /** `sentence` tells the user why nothing is shown. */
  | { readonly kind: 'dropped'; readonly by: DropReason; readonly sentence: string };

export function postProcess(input: FilterInput): PostProcessed {
  if (input.text === '') {
    return { kind: 'dropped', by: 'nothingGenerated', sentence: t('The model has nothing to add here.') };
  }
  let text = input.text;
  const changedBy: FilterName[] = [];
  for (const [name, filter, sentence] of FILTERS) {
    const filtered = filter({ ...input, text });
    if (filtered === '') return { kind: 'dropped', by: name, sentence: sentence() };
    if (filtered !== text) changedBy.push(name);
    text = filtered;
  }
  return { kind: 'kept', text, changedBy };
}
