/**
 * The characters of names and words, for a class of a regular expression with the flag `u`. Accents may stand behind
 * their letter, vowel signs of Indic scripts and Thai always do, and joiners stand within words of Persian and Hindi.
 */
export const WORD_CHARACTERS = '\\p{L}\\p{M}\\p{N}_$\\u200c\\u200d';

/** Matches a text that has one of them. */
export const WORD_CHARACTER = new RegExp(`[${WORD_CHARACTERS}]`, 'u');
