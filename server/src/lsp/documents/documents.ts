import {
  type Connection,
  type DocumentUri,
  type TextDocumentContentChangeEvent,
  TextDocuments,
} from 'vscode-languageserver';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { haveSameLines } from '../../../protocol/index.js';
import type { DocumentChange } from '../../completion/cursor/edit-kind.js';
import type { Log } from '../../util/log.js';
import { smallestChange } from '../../util/smallest-change.js';
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
      const made = changes.flatMap((change) => applyChange(document, change, version) ?? []);
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
 * The library corrupts a document's line offsets if a range names lines that the document does not have. So the range is
 * first moved into the document. Null if nothing changes.
 */
function applyChange(
  document: TextDocument,
  change: TextDocumentContentChangeEvent,
  version: number,
): DocumentChange | null {
  const { text: inserted } = change;
  if (!('range' in change) || change.range === undefined) {
    const before = document.getText();
    TextDocument.update(document, [{ text: inserted }], version);
    return changeOfWhole(before, inserted);
  }
  const ends = [document.offsetAt(change.range.start), document.offsetAt(change.range.end)];
  const [offset, end] = [Math.min(...ends), Math.max(...ends)];
  const range = { start: document.positionAt(offset), end: document.positionAt(end) };
  const removed = document.getText(range);
  TextDocument.update(document, [{ range, text: inserted }], version);
  return { offset, removed, inserted };
}

/** A client may send the whole document for each key: what the user did is the difference. */
function changeOfWhole(before: string, after: string): DocumentChange | null {
  const change = smallestChange(before, after);
  if (change === null) return null;
  const { start, end, newText: inserted } = change;
  const removed = before.slice(start, end);
  // If the line ends were changed, this part may begin or end inside one.
  const areLineEnds = /[\r\n]/.test(removed + inserted) && haveSameLines(before, after);
  return areLineEnds ? { offset: 0, removed: before, inserted: after } : { offset: start, removed, inserted };
}
