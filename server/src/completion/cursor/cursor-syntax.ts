import type { Block, ErrorCounts, Scope, SyntaxDocument, SyntaxSource } from '../../syntax/syntax.js';
import type { SelectedItem } from './cursor-context.js';

/** What the syntax says about the cursor, and about texts inserted there. */
export interface CursorSyntax {
  readonly languageId: string;
  readonly scope: Scope;
  /** The innermost pair of brackets around the cursor. Offsets are UTF-16 units of the document. */
  readonly block: Block | null;
  /**
   * The document's syntax errors now, and with `text` at the cursor; null where no grammar can tell, and after
   * `MAXIMUM_COMPARISONS`.
   *
   * @param replaced how many UTF-16 units after the cursor the text replaces
   */
  errorsWith(text: string, replaced?: number): ErrorCounts | null;
}

/** Each comparison parses. No honest suggestion needs as many. */
const MAXIMUM_COMPARISONS = 24;

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
  let comparisons = 0;
  // Several filters ask about the same text.
  const known = new Map<string, ErrorCounts>();
  return {
    languageId: document.languageId,
    scope: syntax.scopeAt(start),
    block: syntax.blockAt(start),
    errorsWith: (text, replaced = 0) => {
      const question = `${replaced} ${text}`;
      const before = known.get(question);
      if (before !== undefined) return before;
      comparisons++;
      if (comparisons > MAXIMUM_COMPARISONS) return null;
      const counts = syntax.errorsWith({ start, end: offset + replaced, text: accepted + text });
      if (counts !== null) known.set(question, counts);
      return counts;
    },
  };
}
