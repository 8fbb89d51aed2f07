import {
  type Connection,
  type DocumentUri,
  type TextDocumentContentChangeEvent,
  TextDocuments,
} from 'vscode-languageserver';
import { TextDocument } from 'vscode-languageserver-textdocument';
import type { DocumentChange } from '../../completion/cursor/edit-kind.js';
import type { Log } from '../../util/log.js';
import { checkedDocuments } from '../connection/checked-messages.js';

export interface OpenDocuments {
  get(uri: DocumentUri): TextDocument | undefined;
  all(): TextDocument[];
}

/** The open documents, and those that open from now on. */
export type FollowedDocuments = OpenDocuments & Pick<TextDocuments<TextDocument>, 'onDidOpen'>;

export interface DocumentListener {
  opened?(document: TextDocument): void;
  /** Called with the changes in order, after the last of them. */
  edited?(document: TextDocument, changes: readonly DocumentChange[]): void;
  closed?(document: TextDocument): void;
}

/** The open documents, updated by incremental changes. Positions are in UTF-16 units. */
export function followDocuments(
  connection: Connection,
  listeners: readonly DocumentListener[],
  log: Log,
): FollowedDocuments {
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
  documents.listen(checkedDocuments(connection, log));
  return documents;
}

/**
 * The library corrupts a document's line offsets if a range has lines that the document lacks. So the range is given as
 * the places that it means.
 */
function applyChange(document: TextDocument, change: TextDocumentContentChangeEvent, version: number): DocumentChange {
  const { text: inserted } = change;
  if (!('range' in change) || change.range === undefined) {
    const removed = document.getText();
    TextDocument.update(document, [{ text: inserted }], version);
    return { offset: 0, removed, inserted };
  }
  const ends = [document.offsetAt(change.range.start), document.offsetAt(change.range.end)];
  const [offset, end] = [Math.min(...ends), Math.max(...ends)];
  const range = { start: document.positionAt(offset), end: document.positionAt(end) };
  const removed = document.getText(range);
  TextDocument.update(document, [{ range, text: inserted }], version);
  return { offset, removed, inserted };
}
