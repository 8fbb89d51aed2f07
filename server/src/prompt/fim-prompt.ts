import type { FimTemplate } from './fim-template.js';
import { estimateTokens, fitToBudget } from './token-budget.js';

const TYPED_STEP_TOKENS = 64;

/** Text, which the engine never parses for special tokens, and the ids of special tokens, in order. */
export type FimPromptPart = string | number;

export interface FimPromptInput {
  readonly template: FimTemplate;
  /** As the user would name the file, such as `src/main.ts`; null for a document that has no name. */
  readonly path: string | null;
  /** With `\n` line ends: models are trained on nothing else. */
  readonly prefix: string;
  readonly suffix: string;
  /**
   * What was typed since the anchor (the start of the cursor's line), which the answer goes on from. As the beginning
   * of the middle it costs only itself at each keystroke, where a longer prefix would cost the suffix too.
   */
  readonly typed: string;
  /** The whole prompt's budget. */
  readonly maxTokens: number;
}

export interface FimPrompt {
  readonly parts: FimPromptPart[];
  /** Indices of the parts before which the engine is to keep its state: the seams between the prompt's sections. */
  readonly marks: number[];
}

/**
 * The prompt that asks for the text between prefix and suffix:
 * `<file>path\n<prefix>P<suffix>S<middle>typed`, or with the suffix first where the family wants that.
 */
export function buildFimPrompt({ template, path, prefix, suffix, typed, maxTokens }: FimPromptInput): FimPrompt {
  const { order, bosToken, prefixToken, suffixToken, middleToken, fileToken } = template;
  const header: FimPromptPart[] = [];
  if (bosToken !== null) header.push(bosToken);
  if (path !== null && fileToken !== null) header.push(fileToken, `${path}\n`);

  const frame = [...header, prefixToken, suffixToken, middleToken];
  const frameTokens = frame.reduce<number>(
    (sum, part) => sum + (typeof part === 'number' ? 1 : estimateTokens(part)),
    0,
  );
  // In steps, so that typing does not move the cuts of prefix and suffix at every key.
  const typedTokens = Math.ceil(estimateTokens(typed) / TYPED_STEP_TOKENS) * TYPED_STEP_TOKENS;
  const fitted = fitToBudget(prefix, suffix, Math.max(0, maxTokens - frameTokens - typedTokens));
  const before = [prefixToken, fitted.prefix];
  const after = [suffixToken, fitted.suffix];
  const sides = order === 'prefix-suffix-middle' ? [...before, ...after] : [...after, ...before];
  // An empty text contributes no token; leaving it out keeps the engine's argument check simple.
  const parts = [...header, ...sides, middleToken, typed].filter((part) => part !== '');
  const marks = [prefixToken, suffixToken, middleToken].map((token) => parts.lastIndexOf(token));
  return { parts, marks: marks.sort((left, right) => left - right) };
}
