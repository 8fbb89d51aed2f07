import { toLineFeeds } from '../../../protocol/index.js';

/** A place in a document, as the completion pipeline sees it. All texts have `\n` line ends. */
export interface CursorContext {
  readonly prefix: string;
  readonly suffix: string;
  /** The parts of the cursor's line before and after the cursor, at most `LINE_CHARACTERS` of each. */
  readonly linePrefix: string;
  readonly lineSuffix: string;
  /** The next line that is not blank, or null. */
  readonly followingLine: string | null;
  /** The document's own line end, for text that goes back into it. */
  readonly lineEnd: '\n' | '\r\n';
}

/** The suggest widget's selected item. Inkling completes as if the user had accepted it. */
export interface SelectedItem {
  /** Start of the item's text, which replaces the text from here to the cursor. */
  readonly start: number;
  readonly text: string;
}

/** Far more than any prompt takes; text beyond it is never read, so large documents cost no more. */
const WINDOW_CHARACTERS = 65_536;

/** The most characters of a line that are read. Filters compare a suggestion with the line, some several times. */
export const LINE_CHARACTERS = 4_096;

/** @param offset in UTF-16 units; clamped to the text */
export function cursorContextAt(text: string, offset: number, selected: SelectedItem | null): CursorContext {
  const cursor = Math.min(Math.max(0, offset), text.length);
  const typedEnd = selected === null ? cursor : Math.min(selected.start, cursor);
  const before = text.slice(Math.max(0, typedEnd - WINDOW_CHARACTERS), typedEnd) + (selected?.text ?? '');
  const after = text.slice(cursor, cursor + WINDOW_CHARACTERS);
  const prefix = toLineFeeds(before);
  const suffix = toLineFeeds(after);
  const lineSuffixEnd = suffix.indexOf('\n');
  const lineSuffix = lineSuffixEnd < 0 ? suffix : suffix.slice(0, lineSuffixEnd);
  const following = lineSuffixEnd < 0 ? '' : suffix.slice(lineSuffixEnd + 1);
  return {
    prefix,
    suffix,
    linePrefix: prefix.slice(prefix.lastIndexOf('\n') + 1).slice(-LINE_CHARACTERS),
    lineSuffix: lineSuffix.slice(0, LINE_CHARACTERS),
    followingLine: firstFilledLine(following),
    lineEnd: usesCarriageReturn(before, after) ? '\r\n' : '\n',
  };
}

function firstFilledLine(text: string): string | null {
  const first = text.search(/\S/);
  if (first < 0) return null;
  const start = text.lastIndexOf('\n', first) + 1;
  const end = text.indexOf('\n', first);
  return text.slice(start, end < 0 ? undefined : end).trimEnd();
}

function usesCarriageReturn(before: string, after: string): boolean {
  const lastLineFeed = before.lastIndexOf('\n');
  if (lastLineFeed >= 0) return before[lastLineFeed - 1] === '\r';
  const nextLineFeed = after.indexOf('\n');
  return nextLineFeed > 0 && after[nextLineFeed - 1] === '\r';
}
