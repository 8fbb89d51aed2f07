import type { SuggestionFilter } from './filter.js';

/**
 * The engine ends at special tokens, but a model can also spell one out in ordinary tokens, having seen it in its
 * training text. What follows such a word belongs to another file or to no file at all.
 */
export const cutLeakedSpecialTokens: SuggestionFilter = ({ text }) => {
  const leak = text.search(SPECIAL_TOKEN);
  return leak < 0 ? text : text.slice(0, leak);
};

const SPECIAL_TOKEN =
  /<\|(?:fim_\w+|code_\w+|file_sep|repo_name|endoftext|im_start|im_end|file_separator)\|>|<fim_\w+>|<file_sep>|<\[fim-\w+\]>|<｜fim▁\w+｜>|<\/s>$/;
