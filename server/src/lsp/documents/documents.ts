import { type Connection, type DocumentUri, TextDocuments } from 'vscode-languageserver';
import { TextDocument } from 'vscode-languageserver-textdocument';
import type { DocumentChange } from '../../completion/cursor/edit-kind.js';
import type { Log } from '../../util/log.js';
import { checkedDocuments } from '../connection/checked-messages.js';
import { applyChanges } from './apply-changes.js';

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
      const made = applyChanges(document, changes, version);
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
