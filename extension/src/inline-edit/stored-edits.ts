import { createHash } from 'node:crypto';
import { type Disposable, type TextDocument, type TextEditor, window } from 'vscode';
import { isCount, isRecord, toLineFeeds } from '../../../server/protocol/index.js';
import { lastingAddress } from '../editor/notebook-cell.js';
import type { PendingHunk } from './pending-hunks.js';

/** Where edits that wait outlive the window: the state of the workspace, beside the conversations. */
export interface EditStore {
  get(): unknown;
  set(stored: unknown): PromiseLike<void>;
}

interface Waiting {
  readonly document: TextDocument;
  readonly hunks: { readonly text: string; readonly pending: readonly PendingHunk[] };
}

/** Gets a document and its hunks, in order, with ids from 0. */
type Restore = (document: TextDocument, hunks: readonly PendingHunk[]) => void;

/** The edits of a document. Its text is known by its hash: only in that text do the lines stand where they stood. */
interface StoredEdit {
  readonly hash: string;
  readonly hunks: readonly Pick<PendingHunk, 'start' | 'end' | 'oldLines'>[];
}

const MOST_DOCUMENTS = 50;
/** VS Code keeps all of a workspace's state in memory and writes it whole; in characters, for all old lines together. */
const MOST_CHARACTERS = 1_000_000;

/** Has edits wait on after the window was reloaded or closed, in documents that have the same text then. */
export class StoredEdits implements Disposable {
  readonly #store: EditStore;
  readonly #waiting: () => Iterable<Waiting>;
  /** Of an earlier session, for documents that were not shown yet; by their addresses. */
  readonly #earlier: Map<string, StoredEdit>;
  readonly #restore: Restore;
  readonly #registered: Disposable;
  /** The ids of the hunks that were stored last. */
  #stored = '';

  constructor(store: EditStore, waiting: () => Iterable<Waiting>, restore: Restore) {
    this.#store = store;
    this.#waiting = waiting;
    this.#earlier = readEdits(store.get());
    this.#restore = restore;
    this.#registered = window.onDidChangeVisibleTextEditors((editors) => this.#look(editors));
  }

  /** In the documents that are shown already, and in the others once they are: VS Code closes hidden documents by itself. */
  restore(): void {
    this.#look(window.visibleTextEditors);
  }

  /** Another hunk waits, or one no longer does. Keys alone store nothing: `save` does, before the window goes. */
  async changed(): Promise<void> {
    const ids = [...this.#waiting()].flatMap(({ hunks }) => hunks.pending.map(({ id }) => id)).join();
    if (ids === this.#stored) return;
    this.#stored = ids;
    await this.save();
  }

  async save(): Promise<void> {
    const edits: [string, StoredEdit][] = [];
    let left = MOST_CHARACTERS;
    for (const { document, hunks } of this.#waiting()) {
      if (hunks.pending.length === 0) continue;
      const kept = hunks.pending.map(({ start, end, oldLines }) => ({ start, end, oldLines }));
      left -= kept.reduce((sum, { oldLines }) => sum + oldLines.join('\n').length, 0);
      if (left < 0) break;
      edits.push([lastingAddress(document), { hash: hashOf(hunks.text), hunks: kept }]);
    }
    const all = [...edits, ...this.#earlier].slice(0, MOST_DOCUMENTS);
    if (all.length === 0 && this.#store.get() === undefined) return;
    await this.#store.set(all.length === 0 ? undefined : Object.fromEntries(all));
  }

  dispose(): void {
    this.#registered.dispose();
  }

  #look(editors: readonly TextEditor[]): void {
    if (this.#earlier.size === 0) return;
    for (const { document } of editors) this.#lookAt(document);
  }

  #lookAt(document: TextDocument): void {
    const address = lastingAddress(document);
    const edit = this.#earlier.get(address);
    if (edit === undefined) return;
    this.#earlier.delete(address);
    const isSame = edit.hash === hashOf(toLineFeeds(document.getText()));
    if (!isSame || edit.hunks.some(({ end }) => end > document.lineCount)) return;
    const hunks = edit.hunks.map((hunk, id) => ({ ...hunk, id }));
    this.#restore(document, hunks);
  }
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** What is damaged is left out. */
function readEdits(stored: unknown): Map<string, StoredEdit> {
  const edits = new Map<string, StoredEdit>();
  for (const [address, edit] of isRecord(stored) ? Object.entries(stored).slice(0, MOST_DOCUMENTS) : []) {
    if (isEdit(edit)) edits.set(address, edit);
  }
  return edits;
}

function isEdit(value: unknown): value is StoredEdit {
  if (!isRecord(value) || typeof value.hash !== 'string' || !Array.isArray(value.hunks)) return false;
  let last = 0;
  return value.hunks.every((hunk: unknown) => {
    if (!isRecord(hunk) || !isCount(hunk.start) || !isCount(hunk.end)) return false;
    const isPlaced = hunk.start >= last && hunk.end >= hunk.start;
    last = hunk.end;
    return isPlaced && Array.isArray(hunk.oldLines) && hunk.oldLines.every((line) => typeof line === 'string');
  });
}
