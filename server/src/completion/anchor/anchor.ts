import type { ContextBlock } from '../../prompt/context-block.js';
import { contextTokens } from '../../prompt/context-text.js';
import type { PromptMiddle } from '../../prompt/fim-prompt.js';
import { estimateTokens, fitToBudget } from '../../prompt/token-budget.js';
import { toLineFeeds } from '../cursor/cursor-context.js';

/**
 * A place from which a prompt's middle begins. Prefix and suffix stay as they are while the user types, deletes and
 * accepts behind it, so a keystroke costs the engine the changed tokens of the middle and nothing else.
 */
export interface Anchor {
  readonly uri: string;
  /** Where the middle begins, in UTF-16 units of the document. */
  readonly offset: number;
  /**
   * Where the cursor's line began when the anchor was made. What stands between is evaluated in one go, what is typed
   * behind it a few tokens at a time.
   */
  readonly seam: number;
  /** What the anchor was made from, as the document has it: the text before it, and the text after the cursor. */
  readonly before: string;
  readonly after: string;
  /** Whether `after` reaches the end of the document. */
  readonly toEnd: boolean;
  /** What the prompt says of the two: with `\n` line ends, cut to the token budget. */
  readonly prefix: string;
  readonly suffix: string;
  /** What the prompt shows of other files. */
  readonly context: ContextBlock;
  readonly budget: AnchorBudget;
}

/** The cursor in a document, as far as anchors care. */
export interface CursorPlace {
  readonly uri: string;
  readonly text: string;
  /** The middle ends here; behind it comes `inserted`. */
  readonly typedEnd: number;
  /** Text that stands for what lies between `typedEnd` and the cursor: the suggest widget's selected item. */
  readonly inserted: string;
  /** Where the suffix begins: the cursor, or behind closing brackets that the editor added. */
  readonly suffixStart: number;
}

export type ReanchorReason =
  | 'firstRequest'
  | 'otherFile'
  /** The cursor stands before the anchor. */
  | 'cursorLeft'
  | 'prefixChanged'
  | 'suffixChanged'
  /** More was written behind the anchor than the prompt keeps room for. */
  | 'middleFull';

/** A piece of one document change: `removed` characters at `offset` became `inserted` ones. */
export interface TextChange {
  readonly offset: number;
  readonly removed: number;
  readonly inserted: number;
}

/** How many tokens the sections of a prompt may have. */
export interface AnchorBudget {
  /** Prefix, suffix and what is shown of other files together. */
  readonly surroundings: number;
  /** What is kept free for the middle, so that the others need not shrink while it grows. */
  readonly middle: number;
}

/** No vocabulary packs code much denser; what lies beyond this many characters a token can be in no prompt. */
const CHARACTERS_PER_TOKEN = 6;

/**
 * Far more than any prompt holds, so that in all but huge files the prompt's cut, which is made at every so many lines,
 * stays where it is when the anchor moves.
 */
const BEFORE_CHARACTERS = 65_536;

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
 * So many lines above the cursor's. A model follows its own middle more closely than the end of a prefix: of 300 places
 * in real files more first lines were right from here than from the cursor's line (test/bench/quality.ts); and what is
 * edited just above the cursor leaves the anchor where it is.
 */
export const ANCHOR_LINES = 8;

/** The start of a line above the cursor, nearer where those lines would fill half of the middle's budget. */
export function anchorOffsetFor({ text, typedEnd }: CursorPlace, budget: AnchorBudget): number {
  let start = text.lastIndexOf('\n', typedEnd - 1) + 1;
  for (let line = 0; line < ANCHOR_LINES && start > 0; line++) {
    const above = text.lastIndexOf('\n', start - 2) + 1;
    if (estimateTokens(text.slice(above, typedEnd)) > budget.middle / 2) break;
    start = above;
  }
  return start;
}

/** Pure: the same texts around the same offsets make the same anchor. */
export function createAnchor(place: CursorPlace, offset: number, budget: AnchorBudget, context: ContextBlock): Anchor {
  const { uri, text, typedEnd, suffixStart } = place;
  const seam = Math.max(offset, text.lastIndexOf('\n', typedEnd - 1) + 1);
  const before = text.slice(Math.max(0, offset - BEFORE_CHARACTERS), offset);
  const after = text.slice(suffixStart, suffixStart + budget.surroundings * CHARACTERS_PER_TOKEN);
  const toEnd = suffixStart + after.length >= text.length;
  const left = Math.max(0, budget.surroundings - contextTokens(context));
  const fitted = fitToBudget(toLineFeeds(before), toLineFeeds(after), left);
  return { uri, offset, seam, before, after, toEnd, context, budget, ...fitted };
}

/** The middle's forced beginning: what stands between the anchor and the cursor. Precondition: the anchor holds. */
export function middleOf({ offset, seam }: Anchor, { text, typedEnd, inserted }: CursorPlace): PromptMiddle {
  const start = seam <= typedEnd ? seam : offset;
  const settled = toLineFeeds(text.slice(offset, start));
  // Not converted apart: an edit may have left the seam inside a line end of two characters.
  const whole = toLineFeeds(text.slice(offset, typedEnd) + inserted);
  return { settled, typed: whole.slice(settled.length) };
}

/** An estimate. */
export function middleTokens({ offset }: Anchor, { text, typedEnd, inserted }: CursorPlace): number {
  return estimateTokens(text.slice(offset, typedEnd) + inserted);
}

/** Null where the anchor still holds, else why the place needs another one. */
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

/** The anchor after a change of its document; null once the change touched what it was made from. */
export function followChange(anchor: Anchor, { offset, removed, inserted }: TextChange): Anchor | null {
  const start = anchor.offset - anchor.before.length;
  if (offset + removed <= start && start > 0) {
    const growth = inserted - removed;
    return { ...anchor, offset: anchor.offset + growth, seam: anchor.seam + growth };
  }
  // At the anchor itself the middle begins, so an insertion there leaves it.
  if (offset < anchor.offset && (removed > 0 || inserted > 0)) return null;
  const { seam } = anchor;
  if (offset >= seam) return anchor;
  // A change across the seam takes it along to its own end.
  return { ...anchor, seam: Math.max(offset + removed, seam) - removed + inserted };
}

/** How much was written behind an anchor, in lines: it moves up in idle time before it must. */
export function linesBehind(anchor: Anchor, { text, typedEnd }: CursorPlace): number {
  let lines = 0;
  for (let at = text.indexOf('\n', anchor.offset); at >= 0 && at < typedEnd; at = text.indexOf('\n', at + 1)) lines++;
  return lines;
}
