import { type CursorSyntax, cursorSyntaxAt } from '../../../server/src/completion/cursor/cursor-syntax.js';
import { LexicalSyntax } from '../../../server/src/syntax/lexical/lexical-syntax.js';
import type { SyntaxSource } from '../../../server/src/syntax/syntax.js';
import { cursorFixture } from './cursor-fixture.js';

/** No grammar for any language. */
export const LEXICAL: SyntaxSource = { at: ({ languageId, text }) => new LexicalSyntax(languageId, text) };

/** The lexical scan's syntax at the cursor of a fixture. */
export function cursorSyntax(marked: string, languageId = 'typescript'): CursorSyntax {
  const { text, offset } = cursorFixture(marked);
  return cursorSyntaxAt(LEXICAL, { uri: 'file:///fixture', languageId, text }, offset, null);
}
