import type { ContextBlock } from './context-block.js';
import { contextComment, contextParts } from './context-text.js';
import type { FimTemplate } from './fim-template.js';
import { estimateTokens } from './token-budget.js';

/** Text, which the engine never parses for special tokens, or the id of a special token. */
export type FimPromptPart = string | number;

/**
 * The text between anchor and cursor, which the answer continues. As the start of the middle it costs only its own
 * tokens at each keystroke; a longer prefix would cost the suffix too.
 */
export interface PromptMiddle {
  /** The text there when the anchor was made: whole lines, evaluated in one go. */
  readonly settled: string;
  /** The text after it; the engine evaluates it in small steps, and later prompts can return to each of them. */
  readonly typed: string;
}

export interface FimPromptInput {
  readonly template: FimTemplate;
  /** The file's name for the user, such as `src/main.ts`; null for a document without a name. */
  readonly path: string | null;
  /** What is shown of other files, before this one. */
  readonly context: ContextBlock;
  /** Cut to its budget, with `\n` line ends, since models are trained on nothing else; `suffix` too. */
  readonly prefix: string;
  readonly suffix: string;
  readonly middle: PromptMiddle;
}

export interface FimPrompt {
  readonly parts: FimPromptPart[];
  /**
   * Indices of the parts before which the engine keeps its state: the boundaries between the prompt's sections. The
   * number of parts stands for the end.
   */
  readonly sectionBoundaries: number[];
}

/**
 * The prompt that asks for the text between prefix and suffix:
 * `<repo>name\n<file>other\ncode<file>path\n<prefix>P<suffix>S<middle>settled typed`, or with the suffix first if the
 * model's family was trained that way. A family without a middle token has none there. For a model without a file token, other files stand at the start of the prefix,
 * each below a comment.
 */
export function buildFimPrompt({ template, path, context, prefix, suffix, middle }: FimPromptInput): FimPrompt {
  const { order, bosToken, prefixToken, suffixToken, middleToken, fileToken, leadingBlank } = template;
  const start = bosToken === null ? [] : [bosToken];
  const comment = fileToken === null ? contextComment(context, path) : '';
  const blank = leadingBlank ? ' ' : '';
  const before = [prefixToken, ...(comment === '' ? [prefix && blank + prefix] : [blank + comment, prefix])];
  const after = [suffixToken, suffix];
  const sides = order === 'prefix-suffix-middle' ? [...before, ...after] : [...after, ...before];
  // An empty text adds no token; leaving it out keeps the engine's argument check simple.
  const parts = [
    ...start,
    ...contextParts(context, template),
    ...header(template, path),
    ...sides,
    ...(middleToken === null ? [] : [middleToken]),
    middle.settled,
    middle.typed,
  ].filter((part) => part !== '');
  const middleTexts = [middle.settled, middle.typed].filter((text) => text !== '').length;
  const sectionBoundaries = [
    parts.lastIndexOf(prefixToken),
    parts.lastIndexOf(suffixToken),
    parts.length - middleTexts - (middleToken === null ? 0 : 1),
  ];
  // If nothing is typed yet, this boundary is the end, so that the first key finds the evaluated prompt.
  if (middle.settled !== '') sectionBoundaries.push(middle.typed === '' ? parts.length : parts.length - 1);
  // The end of the context, which all anchors in this file share; otherwise the context ends before the prefix token.
  if (comment !== '') sectionBoundaries.push(parts.indexOf(prefixToken) + 2);
  return { parts, sectionBoundaries: [...new Set(sectionBoundaries)].sort((left, right) => left - right) };
}

/** An estimate of the prompt's tokens apart from its texts. */
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
