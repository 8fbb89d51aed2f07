import {
  type Connection,
  type DocumentUri,
  type TextDocumentContentChangeEvent,
  TextDocuments,
} from 'vscode-languageserver';
import { TextDocument } from 'vscode-languageserver-textdocument';
import type { DocumentChange } from '../completion/cursor/edit-kind.js';

export interface OpenDocuments {
  get(uri: DocumentUri): TextDocument | undefined;
  all(): TextDocument[];
}

export interface DocumentListener {
  opened?(document: TextDocument): void;
  /** Called with the changes in order, after the last of them. */
  edited?(document: TextDocument, changes: readonly DocumentChange[]): void;
  closed?(document: TextDocument): void;
}

/** The open documents, updated by incremental changes. Positions are in UTF-16 units. */
export function followDocuments(connection: Connection, listeners: readonly DocumentListener[]): OpenDocuments {
  const documents = new TextDocuments<TextDocument>({
    create: (uri, languageId, version, text) => TextDocument.create(uri, languageId, version, text),
    update: (document, changes, version) => {
      const made = changes.map((change) => applyChange(document, change, version));
      for (const listener of listeners) listener.edited?.(document, made);
      return document;
    },
  });
  documents.onDidOpen(({ document }) => {
    for (const listener of listeners) listener.opened?.(document);
  });
  documents.onDidClose(({ document }) => {
    for (const listener of listeners) listener.closed?.(document);
  });
  documents.listen(connection);
  return documents;
}

function applyChange(document: TextDocument, change: TextDocumentContentChangeEvent, version: number): DocumentChange {
  const whole = !('range' in change);
  const offset = whole ? 0 : document.offsetAt(change.range.start);
  const removed = document.getText(whole ? undefined : change.range);
  TextDocument.update(document, [change], version);
  return { offset, removed, inserted: change.text };
}
