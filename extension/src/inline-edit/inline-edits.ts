import {
  commands,
  Disposable,
  Selection,
  type TextDocument,
  type TextDocumentChangeEvent,
  Uri,
  window,
  workspace,
} from 'vscode';
import { t, toLineFeeds } from '../../../server/protocol/index.js';
import { type MayAsk, tellRefusal } from '../chat/answer/tell-refusal.js';
import { lineHunks, withHunks } from '../chat/code/line-hunks.js';
import { workspacePath } from '../editor/notebook-cell.js';
import { showDocument } from '../editor/show-document.js';
import { EDITOR_COMMANDS, INKLING_COMMANDS, INTERNAL_COMMANDS } from '../manifest/command-ids.js';
import { askText, notify, notifyProgress, showNotice } from '../texts/notify.js';
import { type Asked, askRewrite, type RewriteParts } from './ask-rewrite.js';
import { chooseReview } from './choose-review.js';
import { applyHunks, linesOf } from './document-lines.js';
import type { EditedPart } from './edit-prompt.js';
import { EditView } from './edit-view.js';
import { HunkReview, type MadeEdit } from './hunk-review.js';
import { placeOfLines } from './line-place.js';
import {
  changedLines,
  type LineChange,
  type PendingHunk,
  pendingHunks,
  reversed,
  takingBack,
} from './pending-hunks.js';
import { RenamedDocuments } from './renamed-documents.js';
import { reopened } from './reopened.js';
import { type EditStore, StoredEdits } from './stored-edits.js';

/** Scheme of documents that show a file as it was before an edit. */
const ORIGINAL_SCHEME = 'inkling-original';

/** What is in a document and waits for the user to keep it or to take it back. */
interface Review {
  readonly document: TextDocument;
  readonly hunks: HunkReview;
  /** The document's version after the last change of ours. */
  version: number;
}

interface DocumentChange {
  readonly lines: readonly LineChange[];
  /** The document's text after the change. */
  readonly text: string;
  readonly version: number;
}

/** Where lines go that the model has written. */
interface EditedPlace {
  readonly document: TextDocument;
  /** The selection at the request. A user who has moved on since keeps focus and cursor. */
  readonly selection: Selection;
  readonly part: EditedPart;
}

export interface InlineEditParts extends RewriteParts {
  readonly mayAsk: MayAsk;
  readonly rules: () => string | null;
  readonly store: EditStore;
  /** Gets whether an edit waits for the user. */
  readonly setVisible: (visible: boolean) => void;
}

/**
 * Edits of selected lines by the chat model. The new lines go into the document in one step, so that one Undo takes
 * them back. Keeping a hunk changes nothing any more; undoing one puts its old lines back. Edits of several documents, and
 * several edits of one, wait together.
 */
export class InlineEdits implements Disposable {
  /** Made for the first edit. */
  #view: EditView | null = null;
  readonly #registered: Disposable;
  /** One for each document that has one. */
  readonly #reviews = new Map<TextDocument, Review>();
  readonly #renamed = new RenamedDocuments<Review>(
    () => this.#reviews.values(),
    (document, before) => this.#takeOver(document, before),
  );
  readonly #stored: StoredEdits;
  #nextHunk = 0;
  /** An edit that goes into a document now, and how that has changed since. */
  #making: { readonly document: TextDocument; readonly changes: DocumentChange[] } | null = null;
  #running: AbortController | null = null;
  #lastRequest = '';

  readonly #parts: InlineEditParts;

  constructor(parts: InlineEditParts) {
    this.#parts = parts;
    this.#registered = Disposable.from(
      commands.registerCommand(INKLING_COMMANDS.editSelection, () => this.#edit()),
      commands.registerCommand(INKLING_COMMANDS.keepEdit, (of: unknown) => this.#keep(this.#chosen(of), () => true)),
      commands.registerCommand(INKLING_COMMANDS.undoEdit, (of: unknown) => this.#undo(this.#chosen(of), () => true)),
      commands.registerCommand(INKLING_COMMANDS.showEdit, (of: unknown) => this.#showDiff(this.#chosen(of))),
      commands.registerCommand(INTERNAL_COMMANDS.keepHunk, (id: unknown) =>
        this.#keep(this.#withHunk(id), (hunk) => hunk.id === id),
      ),
      commands.registerCommand(INTERNAL_COMMANDS.undoHunk, (id: unknown) =>
        this.#undo(this.#withHunk(id), (hunk) => hunk.id === id),
      ),
      workspace.registerTextDocumentContentProvider(ORIGINAL_SCHEME, {
        provideTextDocumentContent: (uri) => this.#reviewOf(editedAddress(uri))?.hunks.original ?? '',
      }),
      workspace.onDidChangeTextDocument((event) => this.#changed(event)),
      workspace.onDidCloseTextDocument((document) => {
        // VS Code also says so of a document whose language changes.
        const review = document.isClosed ? this.#reviews.get(document) : undefined;
        if (review === undefined) return;
        this.#renamed.closed(review);
        this.#forget(document);
      }),
      this.#renamed,
    );
    this.#stored = new StoredEdits(
      parts.store,
      () => this.#reviews.values(),
      (document, hunks) => this.#restore(document, hunks),
    );
  }

  /** Has edits of an earlier session wait on. Later than the constructor: who hears of them need not be there yet. */
  restore(): void {
    this.#stored.restore();
  }

  /** Stores what would be lost with the window. */
  async close(): Promise<void> {
    await this.#stored.save();
  }

  dispose(): void {
    this.#running?.abort();
    this.#stored.dispose();
    this.#registered.dispose();
    this.#view?.dispose();
  }

  async #edit(): Promise<void> {
    const editor = window.activeTextEditor;
    if (editor === undefined) return inform(t('No file is open.'));
    const { document, selection } = editor;
    const path = workspacePath(document.uri);
    const { start, end } = selectedLines(selection);
    // Before the first wait: the user may go on typing.
    const { uri, languageId } = document;
    const part: EditedPart = { uri: uri.toString(), path, languageId, lines: linesOf(document), start, end };
    if (!(await this.#parts.mayAsk())) return;
    const prompt =
      start + 1 === end ? t('Line {0} of {1}', end, path) : t('Lines {0} to {1} of {2}', start + 1, end, path);
    const request = await askText({
      title: t('Edit with Inkling'),
      prompt,
      placeHolder: t('What should change?'),
      value: this.#lastRequest,
    });
    if (request === null || request.trim() === '') return;
    this.#lastRequest = request.trim();
    this.#running?.abort();
    const running = new AbortController();
    this.#running = running;
    try {
      const asked = await notifyProgress(t('Inkling edits {0}', path), (_report, signal) =>
        askRewrite(
          this.#parts,
          part,
          { text: request.trim(), rules: this.#parts.rules() },
          AbortSignal.any([signal, running.signal]),
        ),
      );
      if (!running.signal.aborted) await this.#receive(asked, { document, selection, part }, running.signal);
    } finally {
      if (this.#running === running) this.#running = null;
    }
  }

  async #receive(asked: Asked, place: EditedPlace, signal: AbortSignal): Promise<void> {
    const { document, part } = place;
    switch (asked.kind) {
      case 'cancelled':
        return;
      case 'cannot':
        return tellRefusal(asked.refusal);
      case 'refused':
        return inform(asked.message);
      case 'lines': {
        const found = await reopened(document, () => workspace.openTextDocument(document.uri));
        if (signal.aborted) return;
        if (found === null) return inform(t('{0} was closed or deleted meanwhile. Nothing was edited.', part.path));
        await this.#apply({ ...place, document: found }, asked.lines);
      }
    }
  }

  async #apply({ document, selection, part }: EditedPlace, written: readonly string[]): Promise<void> {
    const path = workspacePath(document.uri);
    const lines = linesOf(document);
    const start = placeOfLines(part.lines.slice(part.start, part.end), lines, part.start);
    if (start === null) return inform(t('The lines have changed meanwhile. Nothing was edited.'));
    const before = document.getText();
    const waiting = this.#reviews.get(document)?.hunks.pending ?? [];
    const hunks = lineHunks(lines.slice(start, start + part.end - part.start), written).map((hunk) => ({
      start: hunk.start + start,
      end: hunk.end + start,
      lines: hunk.lines,
    }));
    const active = window.activeTextEditor;
    const isWaiting = active?.document === document && active.selection.isEqual(selection);
    const changes: DocumentChange[] = [];
    this.#making = { document, changes };
    let isMade: boolean;
    try {
      isMade = await applyHunks(document, lines, hunks, true);
    } finally {
      this.#making = null;
    }
    // VS Code edits nothing once the user has typed: the first change is the edit.
    const own = isMade ? changes.shift() : undefined;
    if (own === undefined) {
      for (const change of changes) this.#follow(document, change);
      return inform(
        changes.length > 0
          ? t('The lines have changed meanwhile. Nothing was edited.')
          : t('{0} cannot be edited.', path),
      );
    }
    const left = this.#reviews.get(document)?.hunks.pending ?? [];
    const earlier = waiting.filter(({ id }) => left.some((hunk) => hunk.id === id));
    const firstId = this.#nextHunk;
    this.#nextHunk += hunks.length;
    const all = pendingHunks(lines, hunks, firstId, earlier);
    const review = this.#add(document, { before, firstId, hunks: all, earlier, text: own.text }, own.version);
    for (const change of changes) this.#follow(document, change);
    const isOwn = ({ id }: PendingHunk): boolean => id >= firstId && id < firstId + hunks.length;
    const first = all.find(isOwn)?.start ?? start;
    if (isWaiting && changes.length === 0 && window.activeTextEditor === active) {
      showNotice(
        hunks.length === 1 ? t('1 change. Keep or undo it.') : t('{0} changes. Keep or undo them.', hunks.length),
      );
      // A selection would hide the colours of the new lines.
      active.selection = new Selection(first, 0, first, 0);
      active.revealRange(active.selection);
      return;
    }
    const show = t('Show');
    const isChosen =
      (await notify('information', t('Inkling edited {0}. Keep or undo the changes there.', path), show)) === show;
    if (!isChosen) return;
    const at = review.hunks.pending.find(isOwn)?.start ?? first;
    await showDocument(document, new Selection(at, 0, at, 0));
  }

  #add(document: TextDocument, edit: MadeEdit, version: number): Review {
    const earlier = this.#reviews.get(document);
    const review = earlier ?? { document, hunks: new HunkReview(edit), version };
    review.version = version;
    earlier?.hunks.add(edit);
    this.#reviews.set(document, review);
    this.#update(review);
    return review;
  }

  #changed({ document, contentChanges }: TextDocumentChangeEvent): void {
    const isMaking = this.#making?.document === document;
    if (contentChanges.length === 0 || !(isMaking || this.#reviews.has(document))) return;
    const lines = contentChanges.map(({ range, text }) => changedLines(range, text));
    const change = { lines, text: document.getText(), version: document.version };
    if (isMaking) this.#making?.changes.push(change);
    else this.#follow(document, change);
  }

  #follow(document: TextDocument, { lines, text }: DocumentChange): void {
    const review = this.#reviews.get(document);
    if (review === undefined) return;
    review.hunks.documentChanged(lines, text);
    this.#update(review);
  }

  /** The file of another document has this name now. Its edits go on waiting, unless it has another text by now. */
  #takeOver(document: TextDocument, before: Review): boolean {
    this.#forget(before.document);
    if (before.hunks.text !== toLineFeeds(document.getText())) return false;
    // No change of ours has this version: the next one begins a step of Undo.
    const review = { document, hunks: before.hunks, version: 0 };
    this.#reviews.set(document, review);
    this.#update(review);
    return true;
  }

  /** Edits of an earlier session are one edit now: Undo of VS Code has forgotten its steps. */
  #restore(document: TextDocument, stored: readonly PendingHunk[]): void {
    const firstId = this.#nextHunk;
    this.#nextHunk += stored.length;
    const hunks = stored.map((hunk) => ({ ...hunk, id: firstId + hunk.id }));
    const before = withHunks(linesOf(document), hunks.map(reversed)).join('\n');
    this.#add(document, { before, firstId, hunks, earlier: [], text: document.getText() }, 0);
  }

  #forget(document: TextDocument): void {
    if (!this.#reviews.delete(document)) return;
    this.#view?.show(document, []);
    this.#showWhetherVisible();
  }

  #keep(review: Review | null, isChosen: (hunk: PendingHunk) => boolean): void {
    if (review === null) return;
    review.hunks.keep(isChosen);
    this.#update(review);
  }

  async #undo(review: Review | null, isChosen: (hunk: PendingHunk) => boolean): Promise<void> {
    if (review === null) return;
    const { document, hunks } = review;
    const taken = hunks.take(isChosen);
    if (taken.length === 0) return;
    this.#update(review);
    // One Undo then takes back the edit and this. It must not take back what the user has typed as well.
    const isFirst = document.version !== review.version;
    const isDone = await applyHunks(document, linesOf(document), takingBack(taken), isFirst);
    if (isDone) review.version = document.version;
    hunks.settle(taken, isDone);
    this.#update(review);
    if (!isDone) inform(t('{0} cannot be edited.', workspacePath(document.uri)));
  }

  async #showDiff(review: Review | null): Promise<void> {
    if (review === null) return;
    const { uri, version } = review.document;
    // Another query, or VS Code shows the text of the edit before.
    const query = `${version} ${uri.toString()}`;
    const original = Uri.from({ scheme: ORIGINAL_SCHEME, path: uri.path, query });
    await commands.executeCommand(EDITOR_COMMANDS.diff, original, uri, t('{0}: edit', workspacePath(uri)));
  }

  /** @param address of the document, where a button names it; otherwise the focus decides */
  #chosen(address: unknown): Review | null {
    if (typeof address === 'string') return this.#reviewOf(address);
    const focused = window.activeTextEditor?.document ?? null;
    const original = focused?.uri.scheme === ORIGINAL_SCHEME ? this.#reviewOf(editedAddress(focused.uri)) : null;
    const chosen = original ?? chooseReview([...this.#reviews.values()], focused);
    if (chosen === 'several') inform(t('Several files have edits. Go to one of them first.'));
    return typeof chosen === 'string' ? null : chosen;
  }

  #reviewOf(address: string): Review | null {
    return [...this.#reviews.values()].find(({ document }) => document.uri.toString() === address) ?? null;
  }

  #withHunk(id: unknown): Review | null {
    return [...this.#reviews.values()].find(({ hunks }) => hunks.pending.some((hunk) => hunk.id === id)) ?? null;
  }

  #update(review: Review): void {
    const { document, hunks } = review;
    // It may have been closed meanwhile.
    if (this.#reviews.get(document) !== review) return;
    if (hunks.isOver) this.#reviews.delete(document);
    if (hunks.pending.length > 0) this.#view ??= new EditView();
    this.#view?.show(document, hunks.pending);
    this.#showWhetherVisible();
  }

  #showWhetherVisible(): void {
    this.#parts.setVisible([...this.#reviews.values()].some(({ hunks }) => hunks.pending.length > 0));
    void this.#stored.changed();
  }
}

/** The address of the document whose earlier text this address names, as `#showDiff` writes it. */
function editedAddress({ query }: Uri): string {
  return query.slice(query.indexOf(' ') + 1);
}

/** The lines of the selection; a line at whose start it ends has nothing of it. */
function selectedLines({ start, end }: Selection): { readonly start: number; readonly end: number } {
  const last = end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
  return { start: start.line, end: last + 1 };
}

function inform(message: string): void {
  void notify('information', `Inkling: ${message}`);
}
