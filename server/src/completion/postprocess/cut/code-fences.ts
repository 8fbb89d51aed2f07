import type { SuggestionFilter } from '../filter.js';

const FENCE = /^[ \t]*(?:```|~~~)[ \t]*(?:[\w+#-]+[ \t]*)?$/m;
const MARKUP_LANGUAGES = new Set(['markdown', 'mdx', 'quarto', 'rmd', 'asciidoc', 'restructuredtext', 'plaintext']);

/**
 * A model trained on much Markdown may wrap its code in a fence, or end it with one. Comments may contain fences, and
 * so may markup languages.
 */
export const cutCodeFences: SuggestionFilter = ({ text, cursor, syntax }) => {
  if (syntax.scope !== 'code' || MARKUP_LANGUAGES.has(syntax.languageId)) return text;
  const fence = FENCE.exec(text);
  if (fence === null) return text;
  const before = text.slice(0, fence.index);
  if (before.trim() !== '' || cursor.linePrefix.trim() !== '') return before;
  const wrapped = text.slice(fence.index + fence[0].length + 1);
  const end = FENCE.exec(wrapped);
  return end === null ? wrapped : wrapped.slice(0, end.index);
};
