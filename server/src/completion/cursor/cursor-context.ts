/** A place in a document, as the completion pipeline sees it. All texts have `\n` line ends. */
export interface CursorContext {
  readonly prefix: string;
  readonly suffix: string;
  /** Of the cursor's line: what stands before it and after it. */
  readonly linePrefix: string;
  readonly lineSuffix: string;
  /** The next line that is not blank, or null. */
  readonly followingLine: string | null;
  /** The document's own line end, for the text that goes back. */
  readonly lineEnd: '\n' | '\r\n';
}

/** An item that the suggest widget has selected: the completion is computed as if it had been accepted. */
export interface SelectedItem {
  /** Offset at which the item's text will stand; it replaces what lies between here and the cursor. */
  readonly start: number;
  readonly text: string;
}

/** Far more than any prompt holds; what lies beyond is not even looked at, however large the document. */
const WINDOW_CHARACTERS = 65_536;

/** @param offset in UTF-16 units; clamped to the text */
export function cursorContextAt(text: string, offset: number, selected: SelectedItem | null): CursorContext {
  const cursor = Math.min(Math.max(0, offset), text.length);
  const typedEnd = selected === null ? cursor : Math.min(selected.start, cursor);
  const before = text.slice(Math.max(0, typedEnd - WINDOW_CHARACTERS), typedEnd) + (selected?.text ?? '');
  const after = text.slice(cursor, cursor + WINDOW_CHARACTERS);
  const prefix = toLineFeeds(before);
  const suffix = toLineFeeds(after);
  const lineSuffixEnd = suffix.indexOf('\n');
  const following = lineSuffixEnd < 0 ? '' : suffix.slice(lineSuffixEnd + 1);
  return {
    prefix,
    suffix,
    linePrefix: prefix.slice(prefix.lastIndexOf('\n') + 1),
    lineSuffix: lineSuffixEnd < 0 ? suffix : suffix.slice(0, lineSuffixEnd),
    followingLine: /^.*\S.*$/m.exec(following)?.[0].trimEnd() ?? null,
    lineEnd: usesCarriageReturn(before, after) ? '\r\n' : '\n',
  };
}

export function toLineFeeds(text: string): string {
  return text.includes('\r') ? text.replace(/\r\n?/g, '\n') : text;
}

function usesCarriageReturn(before: string, after: string): boolean {
  const lastLineFeed = before.lastIndexOf('\n');
  if (lastLineFeed >= 0) return before[lastLineFeed - 1] === '\r';
  const nextLineFeed = after.indexOf('\n');
  return nextLineFeed > 0 && after[nextLineFeed - 1] === '\r';
}
