import type { SuggestionFilter } from './filter.js';

/** Blanks at the end are invisible in ghost text and unwelcome in the file. */
export const trimTrailingWhitespace: SuggestionFilter = ({ text }) => text.replace(/[ \t]+$/gm, '').trimEnd();
