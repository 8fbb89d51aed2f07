import type { Position, TextDocumentContentChangeEvent } from 'vscode-languageserver';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { haveSameLines } from '../../../protocol/index.js';
import type { DocumentChange } from '../../completion/cursor/edit-kind.js';
import { smallestChange } from '../../util/smallest-change.js';

/** From so many changes on, one step is worth a copy of the text and a count of its lines. */
const MANY = 16;

/**
 * Changes a document as a client says, each in the text that the one before it left.
 *
 * @returns what changed, in the same order
 */
export function applyChanges(
  document: TextDocument,
  changes: readonly TextDocumentContentChangeEvent[],
  version: number,
): readonly DocumentChange[] {
  const together = changes.length < MANY ? null : changesFromTheEnd(document, changes);
  if (together === null) return changes.flatMap((change) => applyChange(document, change, version) ?? []);
  const text = document.getText();
  const parts: string[] = [];
  let end = text.length;
  for (const { offset, removed, inserted } of together) {
    parts.push(text.slice(offset + removed.length, end), inserted);
    end = offset;
  }
  parts.push(text.slice(0, end));
  TextDocument.update(document, [{ text: parts.reverse().join('') }], version);
  return together;
}

/**
 * Editors report many changes from the end of the document to its start, so that none moves the next. The library
 * copies the text for each: 8,600 in 900 kB took 13 s. Null where the changes are others.
 */
function changesFromTheEnd(
  document: TextDocument,
  changes: readonly TextDocumentContentChangeEvent[],
): readonly DocumentChange[] | null {
  const text = document.getText();
  const made: DocumentChange[] = [];
  let before = text.length;
  for (const change of changes) {
    if (!('range' in change) || change.range === undefined) return null;
    const { start, end } = change.range;
    const [offset, endOffset] = [document.offsetAt(start), document.offsetAt(end)];
    // Where the text has no such place, the changes before may have made it.
    if (offset > endOffset || endOffset > before || !isPlace(document, start) || !isPlace(document, end)) return null;
    // A line feed may have been written behind the carriage return there: the line begins after it now.
    if (endOffset === before && text[before - 1] === '\r') return null;
    made.push({ offset, removed: text.slice(offset, endOffset), inserted: change.text });
    before = offset;
  }
  return made;
}

function isPlace(document: TextDocument, place: Position): boolean {
  const { line, character } = document.positionAt(document.offsetAt(place));
  return line === place.line && character === place.character;
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
