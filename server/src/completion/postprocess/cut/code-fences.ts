import { type LexicalRules, lexicalRulesFor } from '../../../syntax/lexical/lexical-rules.js';
import { INITIAL_STATE, scanLine } from '../../../syntax/lexical/lexical-scanner.js';
import type { SuggestionFilter } from '../filter.js';

const FENCE = /^[ \t]*(?:```|~~~)[ \t]*(?:[\w+#-]+[ \t]*)?$/;
const MARKUP_LANGUAGES = new Set(['markdown', 'mdx', 'quarto', 'rmd', 'asciidoc', 'restructuredtext', 'plaintext']);

/**
 * A model trained on much Markdown may wrap its code in a fence, or end it with one. Comments and strings may contain
 * fences, such as a docstring's example, and so may markup languages.
 */
export const cutCodeFences: SuggestionFilter = ({ text, cursor: { linePrefix }, syntax }) => {
  if (syntax.scope !== 'code' || MARKUP_LANGUAGES.has(syntax.languageId)) return text;
  const rules = lexicalRulesFor(syntax.languageId);
  const fence = fenceIn(text, linePrefix, rules);
  if (fence === null) return text;
  const before = text.slice(0, fence.start);
  if (before.trim() !== '' || linePrefix.trim() !== '') return before;
  const wrapped = text.slice(fence.end + 1);
  const closing = fenceIn(wrapped, '', rules);
  return closing === null ? wrapped : wrapped.slice(0, closing.start);
};

/** The first line that is a fence, and code rather than a part of a string or comment. */
function fenceIn(text: string, linePrefix: string, rules: LexicalRules): { start: number; end: number } | null {
  let state = scanLine(linePrefix, INITIAL_STATE, rules);
  let start = 0;
  for (const line of text.split('\n')) {
    if (state.inside?.multiline !== true && FENCE.test(line)) return { start, end: start + line.length };
    state = start === 0 ? scanLine(linePrefix + line, INITIAL_STATE, rules) : scanLine(line, state, rules);
    start += line.length + 1;
  }
  return null;
}
