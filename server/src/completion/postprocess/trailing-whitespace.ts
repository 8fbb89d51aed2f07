import type { SuggestionFilter } from './filter.js';

/** Blanks at line ends are invisible in ghost text and unwanted in the file. Before more code on the line one stays. */
export const trimTrailingWhitespace: SuggestionFilter = ({ text, cursor: { lineSuffix } }) => {
  const trimmed = text.replace(/[ \t]+(?=\n)/g, '');
  const separates = /^\S/.test(lineSuffix) && /\S[ \t]+$/.test(trimmed);
  return separates ? trimmed : trimmed.trimEnd();
};
