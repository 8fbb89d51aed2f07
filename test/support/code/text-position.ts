import type { Position } from 'vscode-languageserver-protocol';
import { TextDocument } from 'vscode-languageserver-textdocument';

/** The LSP position of an offset in UTF-16 units. */
export function positionIn(text: string, offset: number): Position {
  return TextDocument.create('', '', 0, text).positionAt(offset);
}
