import type { SuggestionFilter } from './filter.js';

/**
 * Removes from the suggestion's end what already stands right after the cursor on its line. A short run of mere
 * punctuation may be needed twice (`f(g(x║)`), so an overlap counts when it holds a whole word, or is a separator.
 */
export const trimSuffixOverlap: SuggestionFilter = ({ text }, { lineSuffix }) => {
  for (let length = Math.min(text.length, lineSuffix.length); length > 0; length--) {
    const overlap = lineSuffix.slice(0, length);
    if (!text.endsWith(overlap)) continue;
    const start = text.length - length;
    const splitsWord = isWord(text[start - 1]) && isWord(overlap[0]);
    const standsAlone = /\w/.test(overlap) ? !splitsWord : /^[;,]$/.test(overlap.trim());
    if (standsAlone) return text.slice(0, start);
  }
  return text;
};

function isWord(character: string | undefined): boolean {
  return character !== undefined && /\w/.test(character);
}
