/** Matches a text that has a character of a name. */
export const WORD_CHARACTER = /[\p{L}\p{N}_$]/u;
