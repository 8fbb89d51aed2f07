/** A rewrite may grow by this share, and by this much for its fences and a few new lines. */
const GROWTH = 1 / 4;
const GROWTH_TOKENS = 128;
/** Tokens for the reasoning of a model that always reasons. */
const THINKING_TOKENS = 1024;

/** The most tokens of an answer that is about as long as a text. */
export function answerLength(textTokens: number, thinking: 'none' | 'always' | 'optional'): number {
  return Math.ceil(textTokens * (1 + GROWTH)) + GROWTH_TOKENS + (thinking === 'always' ? THINKING_TOKENS : 0);
}
