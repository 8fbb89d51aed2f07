import type { SuggestionFilter } from '../filter.js';

/** Enough to see whether the text ends with blanks. */
const LAST_CHARACTERS = 64;

/** Blanks at line ends are invisible in ghost text and unwanted in the file. Before more code on the line one stays. */
export const trimTrailingWhitespace: SuggestionFilter = ({ text, cursor: { lineSuffix } }) => {
  const trimmed = text.replace(/(?<![ \t])[ \t]+(?=\n)/g, '');
  const separates = /^\S/.test(lineSuffix) && /[^ \t][ \t]+$/.test(trimmed.slice(-LAST_CHARACTERS));
  return separates ? trimmed : trimmed.trimEnd();
};
