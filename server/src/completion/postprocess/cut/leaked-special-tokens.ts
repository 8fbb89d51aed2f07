import type { SuggestionFilter } from '../filter.js';

/**
 * The engine ends at special tokens, but a model can spell one in ordinary tokens if its training text did. The text
 * after it belongs to another file or to none.
 */
export const cutLeakedSpecialTokens: SuggestionFilter = ({ text, cursor }) => {
  const leak = text.search(SPECIAL_TOKEN);
  if (leak < 0) return text;
  const isTag = text.startsWith('</s>', leak) && isStruck(cursor.linePrefix + text.slice(0, leak));
  return isTag ? text : text.slice(0, leak);
};

/** Whether a text ends inside `<s>` of HTML, whose end is spelled like the last token of some models. */
function isStruck(text: string): boolean {
  return (text.match(/<s(?=[\s>])/g)?.length ?? 0) > (text.match(/<\/s>/g)?.length ?? 0);
}

const SPECIAL_TOKEN =
  /<\|(?:fim_\w+|code_\w+|file_sep|repo_name|endoftext|im_start|im_end|file_separator)\|>|<fim_\w+>|<file_sep>|<\[fim-\w+\]>|<｜fim▁\w+｜>|<\/s>$/;
