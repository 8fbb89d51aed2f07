import { type Connection, TextDocuments } from 'vscode-languageserver';
import { TextDocument } from 'vscode-languageserver-textdocument';

/** The open documents, kept in step by incremental changes. Positions are in UTF-16 units. */
export function followDocuments(connection: Connection): TextDocuments<TextDocument> {
  const documents = new TextDocuments(TextDocument);
  documents.listen(connection);
  return documents;
}
