import { type ReanchorReason, splitsPair, toLineFeeds } from '../../../protocol/index.js';
import type { ContextBlock } from '../../prompt/context-block.js';
import { contextTokens } from '../../prompt/context-text.js';
import type { PromptMiddle } from '../../prompt/fim-prompt.js';
import { estimateTokens, fitToBudget } from '../../prompt/token-budget.js';

/**
 * The place where a prompt's middle begins. Prefix and suffix stay equal while the user types, deletes and accepts
 * after it. A keystroke then costs the engine only the changed tokens of the middle.
 */
export interface Anchor {
  readonly uri: string;
  /** Where the middle begins, in UTF-16 units of the document. */
  readonly offset: number;
  /**
   * Start of the cursor's line when the anchor was made. The engine evaluates the text between the anchor and here in
   * one go, and the text after it a few tokens at a time.
   */
  readonly typedLineStart: number;
  /** The document's text that the anchor was made from: before the anchor, and after the cursor. */
  readonly before: string;
  readonly after: string;
  /** Whether `after` reaches the end of the document. */
  readonly toEnd: boolean;
  /** The same texts in the prompt: with `\n` line ends, cut to the token budget. */
  readonly prefix: string;
  readonly suffix: string;
  /** What the prompt shows of other files. */
  readonly context: ContextBlock;
  readonly budget: AnchorBudget;
}

/** The cursor in a document, as anchors see it. */
export interface CursorPlace {
  readonly uri: string;
  readonly text: string;
  /** End of the middle's document text; `inserted` follows it. */
  readonly typedEnd: number;
  /** Text in place of what lies between `typedEnd` and the cursor: the selected item of the suggest widget. */
  readonly inserted: string;
  /** Start of the suffix: the cursor, or the end of closing brackets that the editor added. */
  readonly suffixStart: number;
}

/** A piece of one document change: `removed` characters at `offset` became `inserted` ones. */
export interface TextChange {
  readonly offset: number;
  readonly removed: number;
  readonly inserted: number;
}

/** How many tokens the prompt's sections may take. */
export interface AnchorBudget {
  /** Prefix, suffix and context of other files together. */
  readonly surroundings: number;
  /** Kept free for the middle, so that the other sections need not shrink while it grows. */
  readonly middle: number;
}

/** No vocabulary packs code much denser. Text beyond this many characters a token fits in no prompt. */
const CHARACTERS_PER_TOKEN = 6;

/**
 * Far more than any prompt takes. The prompt cuts its prefix at fixed numbers of lines, so in all but huge files the
 * cut stays in place when the anchor moves.
 */
const BEFORE_CHARACTERS = 65_536;

/** In UTF-16 units. */
const SMALLEST_GRID = 16;

export function cursorPlace(
  uri: string,
  text: string,
  offset: number,
  selected: { readonly start: number; readonly text: string } | null,
  hiddenClosers: number,
): CursorPlace {
  const cursor = Math.min(Math.max(0, offset), text.length);
  return {
    uri,
    text,
    typedEnd: selected === null ? cursor : Math.min(selected.start, cursor),
    inserted: selected?.text ?? '',
    suffixStart: cursor + hiddenClosers,
  };
}

/**
 * Lines between the anchor and the cursor's line. A model follows its own middle more closely than the end of a prefix:
 * of 300 places in real files, more first lines were right from here than from the cursor's line
 * (test/bench/quality/quality.ts). Edits just above the cursor also leave the anchor in place.
 */
export const ANCHOR_LINES = 8;

/**
 * The start of a line above the cursor; nearer if the lines between would fill half of the middle's budget. In a line
 * that is longer than the middle, a place of a fixed grid in the line.
 */
export function anchorOffsetFor({ text, typedEnd }: CursorPlace, budget: AnchorBudget): number {
  let start = lineStartBefore(text, typedEnd);
  if (middleIsFull(text, start, typedEnd, budget)) {
    const grid = Math.max(SMALLEST_GRID, Math.floor(budget.middle / 2));
    const cut = start + Math.floor((typedEnd - start) / grid) * grid;
    return splitsPair(text, cut) ? cut - 1 : cut;
  }
  for (let line = 0; line < ANCHOR_LINES && start > 0; line++) {
    const above = start < 2 ? 0 : lineStartBefore(text, start - 1);
    if (middleIsFull(text, above, typedEnd, { ...budget, middle: budget.middle / 2 })) break;
    start = above;
  }
  return start;
}

/** Pure: the same texts around the same offsets make the same anchor. */
export function createAnchor(place: CursorPlace, offset: number, budget: AnchorBudget, context: ContextBlock): Anchor {
  const { uri, text, typedEnd, suffixStart } = place;
  const typedLineStart = Math.max(offset, lineStartBefore(text, typedEnd));
  const before = text.slice(Math.max(0, offset - BEFORE_CHARACTERS), offset);
  const after = text.slice(suffixStart, suffixStart + budget.surroundings * CHARACTERS_PER_TOKEN);
  const toEnd = suffixStart + after.length >= text.length;
  const left = Math.max(0, budget.surroundings - contextTokens(context));
  const fitted = fitToBudget(toLineFeeds(before), toLineFeeds(after), left);
  return { uri, offset, typedLineStart, before, after, toEnd, context, budget, ...fitted };
}

/** The middle's given text, from the anchor to the cursor. Precondition: the anchor holds. */
export function middleOf({ offset, typedLineStart }: Anchor, { text, typedEnd, inserted }: CursorPlace): PromptMiddle {
  const start = typedLineStart <= typedEnd ? typedLineStart : offset;
  const settled = toLineFeeds(text.slice(offset, start));
  // Converted as a whole: an edit may have left `typedLineStart` inside a line end of two characters.
  const whole = toLineFeeds(text.slice(offset, typedEnd) + inserted);
  return { settled, typed: whole.slice(settled.length) };
}

/** An estimate; infinite where the middle is far too long to count. */
export function middleTokens({ offset, budget }: Anchor, { text, typedEnd, inserted }: CursorPlace): number {
  const length = typedEnd - offset + inserted.length;
  if (length > budget.middle * CHARACTERS_PER_TOKEN) return Number.POSITIVE_INFINITY;
  return estimateTokens(text.slice(offset, typedEnd) + inserted);
}

function middleIsFull(text: string, start: number, end: number, { middle }: AnchorBudget): boolean {
  return end - start > middle * CHARACTERS_PER_TOKEN || estimateTokens(text.slice(start, end)) > middle;
}

/** The start of the line that `end` is in. A line that starts farther away than any prompt reads is cut. */
function lineStartBefore(text: string, end: number): number {
  const from = Math.max(0, end - BEFORE_CHARACTERS);
  return from + text.slice(from, end).lastIndexOf('\n') + 1;
}

/** Null while the anchor holds, otherwise why the place needs another one. */
export function reasonToReanchor(anchor: Anchor | null, place: CursorPlace): ReanchorReason | null {
  if (anchor === null) return 'firstRequest';
  if (anchor.uri !== place.uri) return 'otherFile';
  const { text, typedEnd, suffixStart } = place;
  if (typedEnd < anchor.offset) return 'cursorLeft';
  const { before, after } = anchor;
  if (text.slice(anchor.offset - before.length, anchor.offset) !== before) return 'prefixChanged';
  if (text.slice(suffixStart, suffixStart + after.length) !== after) return 'suffixChanged';
  if (anchor.toEnd && suffixStart + after.length !== text.length) return 'suffixChanged';
  return middleTokens(anchor, place) > anchor.budget.middle ? 'middleFull' : null;
}

/** The anchor after a change of its document; null if the change touched the text that it was made from. */
export function followChange(anchor: Anchor, { offset, removed, inserted }: TextChange): Anchor | null {
  const start = anchor.offset - anchor.before.length;
  if (offset + removed <= start && start > 0) {
    const growth = inserted - removed;
    return { ...anchor, offset: anchor.offset + growth, typedLineStart: anchor.typedLineStart + growth };
  }
  // An insertion at the anchor itself becomes part of the middle and leaves the anchor in place.
  if (offset < anchor.offset && (removed > 0 || inserted > 0)) return null;
  const { typedLineStart } = anchor;
  if (offset >= typedLineStart) return anchor;
  // A change across `typedLineStart` moves it to the end of the inserted text.
  return { ...anchor, typedLineStart: Math.max(offset + removed, typedLineStart) - removed + inserted };
}

/** Lines between anchor and cursor. Idle work moves the anchor up before it must move. */
export function linesBehind(anchor: Anchor, { text, typedEnd }: CursorPlace): number {
  let lines = 0;
  for (let at = text.indexOf('\n', anchor.offset); at >= 0 && at < typedEnd; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}
