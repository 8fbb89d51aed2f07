import { type CursorContext, cursorContextAt } from '../../../server/src/completion/cursor/cursor-context.js';

/** Marks the cursor in fixtures. */
export const CURSOR = '║';

export interface CursorFixture {
  readonly text: string;
  readonly offset: number;
}

/** A document written with one `║` at the cursor. */
export function cursorFixture(marked: string): CursorFixture {
  const parts = marked.split(CURSOR);
  if (parts.length !== 2) throw new Error(`The fixture needs exactly one ${CURSOR}: ${marked}`);
  return { text: parts.join(''), offset: parts[0]?.length ?? 0 };
}

export function cursorContext(marked: string): CursorContext {
  const { text, offset } = cursorFixture(marked);
  return cursorContextAt(text, offset, null);
}
