import type { ContextBlock } from './context-block.js';
import { contextComment, contextParts } from './context-text.js';
import type { FimTemplate } from './fim-template.js';
import { estimateTokens } from './token-budget.js';

/** Text, which the engine never parses for special tokens, and the ids of special tokens, in order. */
export type FimPromptPart = string | number;

/**
 * What stands between the anchor and the cursor, which the answer goes on from. As the beginning of the middle it costs
 * only itself at each keystroke, where a longer prefix would cost the suffix too.
 */
export interface PromptMiddle {
  /** What stood there when the anchor was made: whole lines, evaluated in one go. */
  readonly settled: string;
  /** What follows it; the engine evaluates it in small steps, each of which later prompts can come back to. */
  readonly typed: string;
}

export interface FimPromptInput {
  readonly template: FimTemplate;
  /** As the user would name the file, such as `src/main.ts`; null for a document that has no name. */
  readonly path: string | null;
  /** What is shown of other files, before this one. */
  readonly context: ContextBlock;
  /** Cut to its budget, and with `\n` line ends: models are trained on nothing else. The same for the suffix. */
  readonly prefix: string;
  readonly suffix: string;
  readonly middle: PromptMiddle;
}

export interface FimPrompt {
  readonly parts: FimPromptPart[];
  /**
   * Indices of the parts before which the engine is to keep its state: the seams between the prompt's sections. Their
   * number stands for the end.
   */
  readonly sectionBoundaries: number[];
}

/**
 * The prompt that asks for the text between prefix and suffix:
 * `<repo>name\n<file>other\ncode<file>path\n<prefix>P<suffix>S<middle>settled typed`, or with the suffix first where the family
 * wants that. A model without a token for files finds them at the start of its prefix, each below a comment.
 */
export function buildFimPrompt({ template, path, context, prefix, suffix, middle }: FimPromptInput): FimPrompt {
  const { order, bosToken, prefixToken, suffixToken, middleToken, fileToken } = template;
  const start = bosToken === null ? [] : [bosToken];
  const comment = fileToken === null ? contextComment(context, path) : '';
  const before = [prefixToken, comment, prefix];
  const after = [suffixToken, suffix];
  const sides = order === 'prefix-suffix-middle' ? [...before, ...after] : [...after, ...before];
  // An empty text contributes no token; leaving it out keeps the engine's argument check simple.
  const parts = [
    ...start,
    ...contextParts(context, template),
    ...header(template, path),
    ...sides,
    middleToken,
    middle.settled,
    middle.typed,
  ].filter((part) => part !== '');
  const sectionBoundaries = [prefixToken, suffixToken, middleToken].map((token) => parts.lastIndexOf(token));
  // Where nothing is typed yet it is the end, so that the first key finds what was evaluated.
  if (middle.settled !== '') sectionBoundaries.push(middle.typed === '' ? parts.length : parts.length - 1);
  // The context's end, from which every anchor in this file can start; other contexts end before the prefix token.
  if (comment !== '') sectionBoundaries.push(parts.indexOf(prefixToken) + 2);
  return { parts, sectionBoundaries: [...new Set(sectionBoundaries)].sort((left, right) => left - right) };
}

/** An estimate of the tokens that a prompt has besides its texts. */
export function frameTokens(template: FimTemplate, path: string | null): number {
  const SECTION_TOKENS = 3;
  return header(template, path).reduce<number>(
    (sum, part) => sum + (typeof part === 'number' ? 1 : estimateTokens(part)),
    template.bosToken === null ? SECTION_TOKENS : SECTION_TOKENS + 1,
  );
}

function header({ fileToken }: FimTemplate, path: string | null): FimPromptPart[] {
  return path === null || fileToken === null ? [] : [fileToken, `${path}\n`];
}
