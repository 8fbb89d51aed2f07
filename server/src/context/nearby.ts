import { toLineFeeds } from '../../protocol/index.js';

/** The cursor's surroundings, and the part of the document that the prompt may show itself. */
export interface Nearby {
  readonly lines: readonly string[];
  /** Index of the cursor's line in `lines`. */
  readonly cursorLine: number;
}

/** On each side, in UTF-16 units: more than the longest prompt takes of one side, and a limit for huge documents. */
const REACH = 24_576;

/** @param offset in UTF-16 units; clamped to the text */
export function nearbyLines(text: string, offset: number): Nearby {
  const cursor = Math.min(Math.max(0, offset), text.length);
  const before = toLineFeeds(text.slice(Math.max(0, cursor - REACH), cursor)).split('\n');
  const after = toLineFeeds(text.slice(cursor, cursor + REACH)).split('\n');
  const lines = [...before.slice(0, -1), `${before.at(-1)}${after[0]}`, ...after.slice(1)];
  return { lines, cursorLine: before.length - 1 };
}
