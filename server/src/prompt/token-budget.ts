import { splitsPair } from '../../protocol/index.js';

/**
 * Estimates the tokens of a text, rather too many than too few. ASCII source code averages 3 to 4 characters a token.
 * Other characters may take a token each, or several if the vocabulary falls back to bytes.
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

/** The length of a prompt, where nothing says how fast it is evaluated (`prompt-length.ts`). */
export const DEFAULT_PROMPT_TOKENS = 1536;

/** For text that takes more tokens than estimated, for drafts after the answer, and for typing along it. */
const MARGIN_TOKENS = 256;

/** A length is a multiple of this, so that a small change of the setting loads nothing again. */
const LENGTH_STEP = 256;

/** The context that suggestions need. @param maxTokens length limit of the answer */
export function suggestionContextLength(promptTokens: number, maxTokens: number): number {
  return Math.ceil((promptTokens + maxTokens + MARGIN_TOKENS) / LENGTH_STEP) * LENGTH_STEP;
}

/** The text before the cursor says more about what comes next than the text after it. */
const PREFIX_SHARE = 3 / 4;

const CUT_GRID_LINES = 16;

/** The nearest lines of the file say more than the rest of the project. Farther ones say less. */
const CONTEXT_SHARE = 3 / 8;
const CONTEXT_SHARE_BEYOND = 5 / 8;
const NEAREST_TOKENS = 1024;

/** The most tokens of a prompt that snippets of other files may take: their share grows with the prompt. */
export function contextBudget(promptTokens: number): number {
  const beyond = Math.max(0, promptTokens - NEAREST_TOKENS);
  return Math.floor((promptTokens - beyond) * CONTEXT_SHARE + beyond * CONTEXT_SHARE_BEYOND);
}

/** The surroundings of the cursor, cut to a number of tokens. */
export interface FittedText {
  readonly prefix: string;
  readonly suffix: string;
}

/**
 * Cuts prefix and suffix to a budget, at line boundaries unless a line alone exceeds the budget. The prefix gets three
 * quarters, the suffix one quarter; tokens that one side does not need go to the other.
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
  // Cuts inside a last line that exceeds the budget alone; never between the halves of a surrogate pair.
  return text.slice(splitsPair(text, start) ? start + 1 : start);
}

/**
 * Moves the cut forward to a line whose number is a multiple of the grid. It then stays in place while lines are added
 * below, and the engine keeps its state. Costs at most a quarter of the text.
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
  return text.slice(0, splitsPair(text, end) ? end - 1 : end);
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
