import { t } from '../../../protocol/index.js';
import { cutCodeFences } from './cut/code-fences.js';
import { cutLeakedSpecialTokens } from './cut/leaked-special-tokens.js';
import { cutPathEcho } from './cut/path-echo.js';
import { dropUnfinishedLine } from './cut/unfinished-line.js';
import type { FilterInput, SuggestionFilter } from './filter.js';
import { trimClosersAlreadyPresent } from './fit/closing-brackets.js';
import { trimFollowingLines } from './fit/following-lines.js';
import { fitIndentation } from './fit/indentation.js';
import { trimJoint } from './fit/joint.js';
import { trimLeadingBlankLines } from './fit/leading-blank-lines.js';
import { closeOpenBrackets } from './fit/open-brackets.js';
import { dropPrecedingLines } from './fit/preceding-lines.js';
import { cutRepeatedBlocks } from './fit/repeated-blocks.js';
import { trimSuffixOverlap } from './fit/suffix-overlap.js';
import { trimTrailingWhitespace } from './fit/trailing-whitespace.js';
import { dropBrokenSyntax } from './judge/broken-syntax.js';
import { dropTooLittle } from './judge/minimum-content.js';
import { dropUndoneEdit } from './judge/undone-edit.js';

/**
 * Every filter in the order of running, with the text for the user if it leaves nothing. `cut/` ends the text where it
 * stops being a suggestion, `fit/` adapts it to its surroundings, `judge/` decides whether the result is worth showing.
 */
const FILTERS = [
  ['leakedSpecialTokens', cutLeakedSpecialTokens, () => t('Suggestion hidden: control token instead of code.')],
  ['codeFences', cutCodeFences, () => t('Suggestion hidden: Markdown instead of code.')],
  ['pathEcho', cutPathEcho, () => t('Suggestion hidden: it repeats the file name.')],
  ['unfinishedLine', dropUnfinishedLine, () => t('Suggestion hidden: cut off before it was useful.')],

  ['joint', trimJoint, () => t('Suggestion hidden: it only repeats what you typed.')],
  ['leadingBlankLines', trimLeadingBlankLines, () => t('Suggestion hidden: it is blank.')],
  ['indentation', fitIndentation, () => t('Suggestion hidden: it is blank.')],
  ['followingLines', trimFollowingLines, () => t('Suggestion hidden: it repeats the code after the cursor.')],
  ['suffixOverlap', trimSuffixOverlap, () => t('Suggestion hidden: it repeats the rest of the line.')],
  [
    'closingBrackets',
    trimClosersAlreadyPresent,
    () => t('Suggestion hidden: the closing bracket or quote is already there.'),
  ],
  ['openBrackets', closeOpenBrackets, () => t('Suggestion hidden: it is blank.')],
  ['precedingLines', dropPrecedingLines, () => t('Suggestion hidden: it repeats the lines before the cursor.')],
  ['repeatedBlocks', cutRepeatedBlocks, () => t('Suggestion hidden: it repeats itself.')],
  ['trailingWhitespace', trimTrailingWhitespace, () => t('Suggestion hidden: it is blank.')],

  ['minimumContent', dropTooLittle, () => t('Suggestion hidden: too short to be useful.')],
  ['undoneEdit', dropUndoneEdit, () => t('Suggestion hidden: it undoes your last change.')],
  ['brokenSyntax', dropBrokenSyntax, () => t('Suggestion hidden: it adds a syntax error.')],
] as const satisfies readonly (readonly [name: string, filter: SuggestionFilter, sentence: () => string])[];

export type FilterName = (typeof FILTERS)[number][0];

/** The filter that removed the last of a text; `nothingGenerated` if there was no text. */
export type DropReason = FilterName | 'nothingGenerated';

export type PostProcessed =
  /** `changedBy` names the filters that changed the text. */
  | { readonly kind: 'kept'; readonly text: string; readonly changedBy: readonly FilterName[] }
  /** `sentence` tells the user why nothing is shown; `error` is what the filter threw, null for its own decision. */
  | { readonly kind: 'dropped'; readonly by: DropReason; readonly sentence: string; readonly error: unknown };

/** A filter that throws drops the text: nobody knows what it would have removed. */
export function postProcess(input: FilterInput): PostProcessed {
  return runFilters(input, FILTERS);
}

type NamedFilter = readonly [name: FilterName, filter: SuggestionFilter, sentence: () => string];

export function runFilters(input: FilterInput, filters: readonly NamedFilter[]): PostProcessed {
  if (input.text === '') {
    const sentence = input.finished
      ? t('The model has nothing to add here.')
      : t('Time ran out before the first word. Choose a smaller model, or set a longer time limit.');
    return { kind: 'dropped', by: 'nothingGenerated', sentence, error: null };
  }
  let text = input.text;
  const changedBy: FilterName[] = [];
  for (const [name, filter, sentence] of filters) {
    let filtered: string;
    try {
      filtered = filter({ ...input, text });
    } catch (error) {
      return { kind: 'dropped', by: name, sentence: t('Suggestion hidden: a check failed. The log says why.'), error };
    }
    if (filtered === '') return { kind: 'dropped', by: name, sentence: sentence(), error: null };
    if (filtered !== text) changedBy.push(name);
    text = filtered;
  }
  return { kind: 'kept', text, changedBy };
}
