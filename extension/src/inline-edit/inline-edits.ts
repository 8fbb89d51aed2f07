import {
  commands,
  Disposable,
  Range,
  Selection,
  type TextDocument,
  type TextDocumentChangeEvent,
  TextDocumentChangeReason,
  type TextEditor,
  Uri,
  window,
  workspace,
} from 'vscode';
import { t } from '../../../server/protocol/index.js';
import type { ChatServer } from '../chat/chat-server.js';
import { hunkEdit } from '../chat/hunk-edit.js';
import { type Hunk, lineHunks } from '../chat/line-hunks.js';
import { tellRefusal } from '../chat/tell-refusal.js';
import { EDITOR_COMMANDS, INKLING_COMMANDS, INTERNAL_COMMANDS } from '../command-ids.js';
import { askText, notify, notifyProgress, showNotice } from '../notify.js';
import { askRewrite } from './ask-rewrite.js';
import { EditView } from './edit-view.js';
import { placeOfLines } from './line-place.js';
import { afterChange, type PendingHunk, pendingHunks, reversed } from './pending-hunks.js';

/** Scheme of documents that show a file as it was before an edit. */
const ORIGINAL_SCHEME = 'inkling-original';

/** An edit that is in the document and waits for the user to keep it or to take it back. */
interface Review {
  readonly document: TextDocument;
  readonly original: string;
  pending: readonly PendingHunk[];
}

/**
 * Edits of selected lines by the chat model. The new lines go into the document in one step, so that one Undo takes
 * them back. Keeping a hunk changes nothing any more; undoing one puts its old lines back.
 */
export class InlineEdits implements Disposable {
  /** Made for the first edit. */
  #view: EditView | null = null;
  readonly #registered: Disposable;
  #review: Review | null = null;
  #running: AbortController | null = null;
  #lastRequest = '';

  readonly #server: Pick<ChatServer, 'ask'>;
  readonly #rules: () => string | null;
  readonly #setVisible: (visible: boolean) => void;

  /** @param setVisible gets whether an edit waits for the user */
  constructor(server: Pick<ChatServer, 'ask'>, rules: () => string | null, setVisible: (visible: boolean) => void) {
    this.#server = server;
    this.#rules = rules;
    this.#setVisible = setVisible;
    this.#registered = Disposable.from(
      commands.registerCommand(INKLING_COMMANDS.editSelection, () => this.#edit()),
      commands.registerCommand(INKLING_COMMANDS.keepEdit, () => this.#end()),
      commands.registerCommand(INKLING_COMMANDS.undoEdit, () => this.#undo(() => true)),
      commands.registerCommand(INKLING_COMMANDS.showEdit, () => this.#showDiff()),
      commands.registerCommand(INTERNAL_COMMANDS.keepHunk, (id: unknown) => this.#drop((hunk) => hunk.id === id)),
      commands.registerCommand(INTERNAL_COMMANDS.undoHunk, (id: unknown) => this.#undo((hunk) => hunk.id === id)),
      workspace.registerTextDocumentContentProvider(ORIGINAL_SCHEME, {
        provideTextDocumentContent: () => this.#review?.original ?? '',
      }),
      workspace.onDidChangeTextDocument((event) => this.#changed(event)),
      workspace.onDidCloseTextDocument((document) => {
        if (document === this.#review?.document) this.#end();
      }),
    );
  }

  dispose(): void {
    this.#running?.abort();
    this.#registered.dispose();
    this.#view?.dispose();
  }

  async #edit(): Promise<void> {
    const editor = window.activeTextEditor;
    if (editor === undefined) return inform(t('No file is open.'));
    const { document } = editor;
    const path = workspace.asRelativePath(document.uri);
    const { start, end } = selectedLines(editor);
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
    const lines = linesOf(document);
    const asked = await notifyProgress(t('Inkling edits {0}', path), (_report, signal) => {
      const part = { path, languageId: document.languageId, lines, start, end };
      return askRewrite(
        this.#server,
        part,
        { text: request.trim(), rules: this.#rules() },
        AbortSignal.any([signal, running.signal]),
      );
    });
    if (this.#running === running) this.#running = null;
    if (asked.kind === 'cancelled' || running.signal.aborted) return;
    if (asked.kind === 'cannot') return tellRefusal(asked.refusal);
    if (asked.kind === 'refused') return inform(asked.message);
    const at = placeOfLines(lines.slice(start, end), linesOf(document), start);
    if (at === null) return inform(t('The lines have changed meanwhile. Nothing was edited.'));
    await this.#apply(document, at, end - start, asked.lines);
  }

  async #apply(document: TextDocument, start: number, length: number, written: readonly string[]): Promise<void> {
    const lines = linesOf(document);
    const original = document.getText();
    const hunks = lineHunks(lines.slice(start, start + length), written).map((hunk) => ({
      start: hunk.start + start,
      end: hunk.end + start,
      lines: hunk.lines,
    }));
    this.#end();
    const editor = await window.showTextDocument(document, { preserveFocus: false });
    if (!(await applyHunks(editor, lines, hunks, true))) {
      return inform(t('{0} cannot be edited.', workspace.asRelativePath(document.uri)));
    }
    this.#review = { document, original, pending: pendingHunks(lines, hunks) };
    this.#update();
    const first = this.#review.pending[0]?.start ?? 0;
    showNotice(
      hunks.length === 1 ? t('1 change. Keep or undo it.') : t('{0} changes. Keep or undo them.', hunks.length),
    );
    // A selection would hide the colours of the new lines.
    editor.selection = new Selection(first, 0, first, 0);
    editor.revealRange(editor.selection);
  }

  #changed({ document, contentChanges, reason }: TextDocumentChangeEvent): void {
    const review = this.#review;
    if (review === null || document !== review.document || contentChanges.length === 0) return;
    if (reason === TextDocumentChangeReason.Undo && document.getText() === review.original) {
      this.#end();
      return;
    }
    for (const { range, text } of contentChanges) {
      const { start, end } = range;
      const last = end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
      const growth = text.split('\n').length - 1 - (end.line - start.line);
      review.pending = afterChange(review.pending, { start: start.line, end: last, growth });
    }
    this.#update();
  }

  #drop(isChosen: (hunk: PendingHunk) => boolean): void {
    if (this.#review === null) return;
    this.#review.pending = this.#review.pending.filter((hunk) => !isChosen(hunk));
    this.#update();
  }

  async #undo(isChosen: (hunk: PendingHunk) => boolean): Promise<void> {
    const review = this.#review;
    if (review === null) return;
    const chosen = review.pending.filter(isChosen);
    this.#drop(isChosen);
    const { document } = review;
    const editor =
      window.visibleTextEditors.find((each) => each.document === document) ?? (await window.showTextDocument(document));
    if (!(await applyHunks(editor, linesOf(document), chosen.map(reversed), false))) {
      inform(t('{0} cannot be edited.', workspace.asRelativePath(document.uri)));
    }
  }

  /** What waits for the user is kept. */
  #end(): void {
    this.#drop(() => true);
  }

  async #showDiff(): Promise<void> {
    if (this.#review === null) return;
    const { uri } = this.#review.document;
    // Another query, or VS Code shows the text of the edit before.
    const query = String(this.#review.document.version);
    const original = Uri.from({ scheme: ORIGINAL_SCHEME, path: uri.path, query });
    await commands.executeCommand(EDITOR_COMMANDS.diff, original, uri, t('{0}: edit', workspace.asRelativePath(uri)));
  }

  #update(): void {
    if (this.#review?.pending.length === 0) this.#review = null;
    if (this.#review !== null) this.#view ??= new EditView();
    this.#view?.show(this.#review?.document ?? null, this.#review?.pending ?? []);
    this.#setVisible(this.#review !== null);
  }
}

/** The lines of the selection; a line at whose start it ends has nothing of it. */
function selectedLines({ selection: { start, end } }: TextEditor): { readonly start: number; readonly end: number } {
  const last = end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
  return { start: start.line, end: last + 1 };
}

/** @param isFirst begins a step of Undo; what follows joins it unless the cursor has moved since */
async function applyHunks(
  editor: TextEditor,
  lines: readonly string[],
  hunks: readonly Hunk[],
  isFirst: boolean,
): Promise<boolean> {
  const change = (edit: { replace(range: Range, text: string): void }): void => {
    for (const hunk of hunks) {
      const { start, end, text } = hunkEdit(hunk, lines);
      edit.replace(new Range(start.line, start.character, end.line, end.character), text);
    }
  };
  // Returns false for a read-only document, and rejects for an editor that was closed meanwhile.
  const options = { undoStopBefore: isFirst, undoStopAfter: false };
  return editor.edit(change, options).then(undefined, () => false);
}

function linesOf(document: TextDocument): string[] {
  return document.getText().split(/\r\n|\n/);
}

function inform(message: string): void {
  void notify('information', `Inkling: ${message}`);
}
