import type { Block, ErrorCounts, Scope, SyntaxDocument, SyntaxSource } from '../../syntax/syntax.js';
import type { SelectedItem } from './cursor-context.js';

/** What the syntax says about the cursor, and about texts inserted there. */
export interface CursorSyntax {
  readonly languageId: string;
  readonly scope: Scope;
  /** The innermost pair of brackets around the cursor. Offsets are UTF-16 units of the document. */
  readonly block: Block | null;
  /**
   * The document's syntax errors now, and with `text` at the cursor; null where no grammar can tell.
   *
   * @param replaced how many UTF-16 units behind the cursor the text replaces
   */
  errorsWith(text: string, replaced?: number): ErrorCounts | null;
}

/** @param offset in UTF-16 units; a selected item counts as accepted */
export function cursorSyntaxAt(
  source: SyntaxSource,
  document: SyntaxDocument,
  offset: number,
  selected: SelectedItem | null,
): CursorSyntax {
  const syntax = source.at(document);
  const start = selected?.start ?? offset;
  const accepted = selected?.text ?? '';
  return {
    languageId: document.languageId,
    scope: syntax.scopeAt(start),
    block: syntax.blockAt(start),
    errorsWith: (text, replaced = 0) => syntax.errorsWith({ start, end: offset + replaced, text: accepted + text }),
  };
}
