import type { SuggestionFilter } from '../filter.js';

/**
 * The engine ends at special tokens, but a model can spell one in ordinary tokens if its training text did. The text
 * after it belongs to another file or to none.
 */
export const cutLeakedSpecialTokens: SuggestionFilter = ({ text }) => {
  const leak = text.search(SPECIAL_TOKEN);
  return leak < 0 ? text : text.slice(0, leak);
};

const SPECIAL_TOKEN =
  /<\|(?:fim_\w+|code_\w+|file_sep|repo_name|endoftext|im_start|im_end|file_separator)\|>|<fim_\w+>|<file_sep>|<\[fim-\w+\]>|<｜fim▁\w+｜>|<\/s>$/;
