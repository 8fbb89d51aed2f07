/**
 * Estimates, on the safe side, how many tokens a text makes. Source code in ASCII averages 3 to 4 characters a token;
 * other characters may take a token each, or several where the vocabulary falls back to bytes.
 */
export function estimateTokens(text: string): number {
  let ascii = 0;
  for (let index = 0; index < text.length; index++) {
    if (text.charCodeAt(index) < 128) ascii++;
  }
  return Math.ceil(ascii / ASCII_CHARACTERS_PER_TOKEN + (text.length - ascii) * TOKENS_PER_OTHER_CHARACTER);
}

const ASCII_CHARACTERS_PER_TOKEN = 3;
const TOKENS_PER_OTHER_CHARACTER = 1.5;

/** What precedes the cursor says more about what comes next than what follows it. */
const PREFIX_SHARE = 3 / 4;

const CUT_GRID_LINES = 16;

/** The file itself says more than the rest of the project, and what is read once for each anchor delays it. */
const CONTEXT_SHARE = 1 / 4;

/** Of a prompt's tokens, those that snippets of other files may take. */
export function contextBudget(promptTokens: number): number {
  return Math.floor(promptTokens * CONTEXT_SHARE);
}

/** The surroundings of the cursor that fit a number of tokens. */
export interface FittedText {
  readonly prefix: string;
  readonly suffix: string;
}

/**
 * Cuts prefix and suffix to a budget, at line boundaries where lines are not longer than the budget itself. The prefix
 * gets three quarters, the suffix one; what one side does not need goes to the other.
 */
export function fitToBudget(prefix: string, suffix: string, tokens: number): FittedText {
  const suffixNeed = estimateTokens(suffix);
  const suffixShare = Math.floor(tokens * (1 - PREFIX_SHARE));
  const fittedPrefix = keepEnd(prefix, tokens - Math.min(suffixNeed, suffixShare));
  const fittedSuffix = keepStart(suffix, tokens - estimateTokens(fittedPrefix));
  return { prefix: fittedPrefix, suffix: fittedSuffix };
}

function keepEnd(text: string, tokens: number): string {
  if (estimateTokens(text) <= tokens) return text;
  const start = text.length - longestFit(text.length, tokens, (length) => text.slice(text.length - length));
  const lineStart = text.indexOf('\n', Math.max(0, start - 1)) + 1;
  if (lineStart > 0) return text.slice(steadyCut(text, lineStart));
  // A last line that alone outgrows the budget is cut inside; never between the halves of a surrogate pair.
  return text.slice(isLowSurrogate(text, start) ? start + 1 : start);
}

/**
 * The cut moved forward to a line whose number is a multiple of the grid, so that it stays where it is while lines are
 * added below: the engine can then keep what it evaluated. Costs at most a quarter of the text.
 */
function steadyCut(text: string, lineStart: number): number {
  let lineNumber = 0;
  for (let end = text.indexOf('\n'); end >= 0 && end < lineStart; end = text.indexOf('\n', end + 1)) lineNumber++;
  let cut = lineStart;
  while (lineNumber % CUT_GRID_LINES !== 0) {
    const end = text.indexOf('\n', cut);
    if (end < 0) return lineStart;
    cut = end + 1;
    lineNumber++;
  }
  return text.length - cut >= (text.length - lineStart) * 0.75 ? cut : lineStart;
}

function keepStart(text: string, tokens: number): string {
  if (estimateTokens(text) <= tokens) return text;
  const end = longestFit(text.length, tokens, (length) => text.slice(0, length));
  const lineEnd = text.lastIndexOf('\n', end - 1) + 1;
  if (lineEnd > 0) return text.slice(0, lineEnd);
  return text.slice(0, isLowSurrogate(text, end) ? end - 1 : end);
}

/** The greatest length whose piece still fits, by bisection. */
function longestFit(length: number, tokens: number, piece: (length: number) => string): number {
  let fits = 0;
  let tooLong = length + 1;
  while (tooLong - fits > 1) {
    const middle = (fits + tooLong) >> 1;
    if (estimateTokens(piece(middle)) <= tokens) fits = middle;
    else tooLong = middle;
  }
  return fits;
}

function isLowSurrogate(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code >= 0xdc00 && code <= 0xdfff;
}
