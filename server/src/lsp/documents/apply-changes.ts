import type { Position, Range, TextDocumentContentChangeEvent } from 'vscode-languageserver';
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
  const together =
    changes.length >= MANY && changes.every(hasRange)
      ? (changesFromTheEnd(document, changes) ?? changesFromTheStart(document, changes))
      : null;
  if (together === null) return changes.flatMap((change) => applyChange(document, change, version) ?? []);
  TextDocument.update(document, [{ text: together.text }], version);
  return together.made;
}

/** A change of a part of the document; others send all of it. */
type ChangeOfRange = TextDocumentContentChangeEvent & { readonly range: Range };

function hasRange(change: TextDocumentContentChangeEvent): change is ChangeOfRange {
  return 'range' in change && change.range !== undefined;
}

/** Changes that are made in one step. */
interface Together {
  readonly made: readonly DocumentChange[];
  /** Of the document after all of them. */
  readonly text: string;
}

/**
 * VS Code reports many changes from the end of the document to its start, so that none moves the next. The library
 * copies the text for each: 8,600 in 900 kB took 13 s. Null where the changes are others.
 */
function changesFromTheEnd(document: TextDocument, changes: readonly ChangeOfRange[]): Together | null {
  const text = document.getText();
  const made: DocumentChange[] = [];
  const parts: string[] = [];
  let before = text.length;
  for (const change of changes) {
    const offsets = offsetsOf(document, change.range);
    if (offsets === null) return null;
    const [offset, endOffset] = offsets;
    if (endOffset > before) return null;
    // A line feed may have been written behind the carriage return there: the line begins after it now.
    if (endOffset === before && text[before - 1] === '\r') return null;
    made.push({ offset, removed: text.slice(offset, endOffset), inserted: change.text });
    parts.push(text.slice(endOffset, before), change.text);
    before = offset;
  }
  parts.push(text.slice(0, before));
  return { made, text: parts.reverse().join('') };
}

/** Emacs and Helix report them from the start to the end, each moved by those before it. */
function changesFromTheStart(document: TextDocument, changes: readonly ChangeOfRange[]): Together | null {
  const text = document.getText();
  const made: DocumentChange[] = [];
  const parts: string[] = [];
  /** Length of the parts and their last character: the text up to here is as it will be. */
  let length = 0;
  let last = '';
  /** Where that ends, as the client counts. */
  let reached: Position = { line: 0, character: 0 };
  /** Where the rest of the document begins: its offset, and its place before any change. */
  let rest = 0;
  let restPlace: Position = reached;
  for (const { range, text: inserted } of changes) {
    if (isBefore(range.start, reached)) return null;
    const [start, end] = [sumOf(restPlace, reached, range.start), sumOf(restPlace, reached, range.end)];
    const offsets = offsetsOf(document, { start, end });
    if (offsets === null) return null;
    const [offset, endOffset] = offsets;
    const kept = text.slice(rest, offset);
    // Line feeds that get behind a carriage return, or away from it, change how many lines there are.
    const before = kept.at(-1) ?? last;
    const behind = text[endOffset];
    if (before === '\r' && (inserted === '' ? behind : inserted[0]) === '\n') return null;
    if (inserted.endsWith('\r') && behind === '\n') return null;
    made.push({ offset: length + kept.length, removed: text.slice(offset, endOffset), inserted });
    parts.push(kept, inserted);
    length += kept.length + inserted.length;
    last = inserted.at(-1) ?? before;
    reached = endOf(inserted, range.start);
    rest = endOffset;
    restPlace = end;
  }
  parts.push(text.slice(rest));
  return { made, text: parts.join('') };
}

function isBefore(place: Position, other: Position): boolean {
  return place.line < other.line || (place.line === other.line && place.character < other.character);
}

/** The place that is as far behind `origin` as `place` is behind `other`. */
function sumOf(origin: Position, other: Position, place: Position): Position {
  const line = origin.line + place.line - other.line;
  return { line, character: place.character + (place.line === other.line ? origin.character - other.character : 0) };
}

/** Where a text ends that begins at a place. */
function endOf(text: string, { line, character }: Position): Position {
  const lines = text.split(/\r\n|\r|\n/);
  const last = lines.at(-1)?.length ?? 0;
  return { line: line + lines.length - 1, character: lines.length === 1 ? character + last : last };
}

/** Null where the text has no such places: the changes before may have made them. */
function offsetsOf(document: TextDocument, { start, end }: Range): readonly [start: number, end: number] | null {
  const offsets = [document.offsetAt(start), document.offsetAt(end)] as const;
  return offsets[0] <= offsets[1] && isPlace(document, start) && isPlace(document, end) ? offsets : null;
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
  if (!hasRange(change)) {
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
