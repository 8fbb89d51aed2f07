import {
  commands,
  Disposable,
  Range,
  Selection,
  type TextDocument,
  type TextDocumentChangeEvent,
  TextDocumentChangeReason,
  type TextEditorEdit,
  Uri,
  WorkspaceEdit,
  window,
  workspace,
} from 'vscode';
import { haveSameLines, t } from '../../../server/protocol/index.js';
import { type MayAsk, tellRefusal } from '../chat/answer/tell-refusal.js';
import { hunkEdit } from '../chat/code/hunk-edit.js';
import { type Hunk, lineHunks } from '../chat/code/line-hunks.js';
import { editText } from '../editor/edit-text.js';
import { showDocument } from '../editor/show-document.js';
import { EDITOR_COMMANDS, INKLING_COMMANDS, INTERNAL_COMMANDS } from '../manifest/command-ids.js';
import { askText, notify, notifyProgress, showNotice } from '../texts/notify.js';
import { askRewrite, type RewriteParts } from './ask-rewrite.js';
import type { EditedPart } from './edit-prompt.js';
import { EditView } from './edit-view.js';
import { HunkReview } from './hunk-review.js';
import { placeOfLines } from './line-place.js';
import { changedLines, type PendingHunk, pendingHunks, reversed } from './pending-hunks.js';
import { reopened } from './reopened.js';

/** Scheme of documents that show a file as it was before an edit. */
const ORIGINAL_SCHEME = 'inkling-original';

/** An edit that is in the document and waits for the user to keep it or to take it back. */
interface Review {
  readonly document: TextDocument;
  readonly original: string;
  readonly hunks: HunkReview;
}

export interface InlineEditParts extends RewriteParts {
  readonly mayAsk: MayAsk;
  readonly rules: () => string | null;
  /** Gets whether an edit waits for the user. */
  readonly setVisible: (visible: boolean) => void;
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

  readonly #parts: InlineEditParts;

  constructor(parts: InlineEditParts) {
    this.#parts = parts;
    this.#registered = Disposable.from(
      commands.registerCommand(INKLING_COMMANDS.editSelection, () => this.#edit()),
      commands.registerCommand(INKLING_COMMANDS.keepEdit, () => this.#end()),
      commands.registerCommand(INKLING_COMMANDS.undoEdit, () => this.#undo(() => true)),
      commands.registerCommand(INKLING_COMMANDS.showEdit, () => this.#showDiff()),
      commands.registerCommand(INTERNAL_COMMANDS.keepHunk, (id: unknown) => this.#keep((hunk) => hunk.id === id)),
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
    const { document, selection } = editor;
    const path = workspace.asRelativePath(document.uri);
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
    const asked = await notifyProgress(t('Inkling edits {0}', path), (_report, signal) =>
      askRewrite(
        this.#parts,
        part,
        { text: request.trim(), rules: this.#parts.rules() },
        AbortSignal.any([signal, running.signal]),
      ),
    );
    if (this.#running === running) this.#running = null;
    if (asked.kind === 'cancelled' || running.signal.aborted) return;
    if (asked.kind === 'cannot') return tellRefusal(asked.refusal);
    if (asked.kind === 'refused') return inform(asked.message);
    const found = await reopened(document, () => workspace.openTextDocument(document.uri));
    if (found === null) return inform(t('{0} was closed or deleted meanwhile. Nothing was edited.', path));
    await this.#apply(found, selection, part, asked.lines);
  }

  /** @param selection of the request: whoever has moved on keeps focus and cursor */
  async #apply(
    document: TextDocument,
    selection: Selection,
    part: EditedPart,
    written: readonly string[],
  ): Promise<void> {
    const path = workspace.asRelativePath(document.uri);
    const lines = linesOf(document);
    const start = placeOfLines(part.lines.slice(part.start, part.end), lines, part.start);
    if (start === null) return inform(t('The lines have changed meanwhile. Nothing was edited.'));
    const original = document.getText();
    const hunks = lineHunks(lines.slice(start, start + part.end - part.start), written).map((hunk) => ({
      start: hunk.start + start,
      end: hunk.end + start,
      lines: hunk.lines,
    }));
    this.#end();
    const active = window.activeTextEditor;
    const isWaiting = active?.document === document && active.selection.isEqual(selection);
    const { version } = document;
    if (!(await applyHunks(document, lines, hunks, true))) {
      const hasChanged = document.version !== version;
      return inform(
        hasChanged ? t('The lines have changed meanwhile. Nothing was edited.') : t('{0} cannot be edited.', path),
      );
    }
    const review: Review = {
      document,
      original,
      hunks: new HunkReview(pendingHunks(lines, hunks), document.getText()),
    };
    this.#review = review;
    this.#update();
    const first = review.hunks.pending[0]?.start ?? 0;
    if (isWaiting && window.activeTextEditor === active) {
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
    const at = review.hunks.pending[0]?.start ?? first;
    await showDocument(document, new Selection(at, 0, at, 0));
  }

  #changed({ document, contentChanges, reason }: TextDocumentChangeEvent): void {
    const review = this.#review;
    if (review === null || document !== review.document || contentChanges.length === 0) return;
    const text = document.getText();
    if (reason === TextDocumentChangeReason.Undo && haveSameLines(text, review.original)) {
      this.#end();
      return;
    }
    review.hunks.documentChanged(
      contentChanges.map((change) => changedLines(change.range, change.text)),
      text,
    );
    this.#update();
  }

  #keep(isChosen: (hunk: PendingHunk) => boolean): void {
    this.#review?.hunks.keep(isChosen);
    this.#update();
  }

  async #undo(isChosen: (hunk: PendingHunk) => boolean): Promise<void> {
    const review = this.#review;
    if (review === null) return;
    const { document, hunks } = review;
    const taken = hunks.take(isChosen);
    if (taken.length === 0) return;
    this.#update();
    const isDone = await applyHunks(document, linesOf(document), taken.map(reversed), false);
    hunks.settle(taken, isDone);
    this.#update();
    if (!isDone) inform(t('{0} cannot be edited.', workspace.asRelativePath(document.uri)));
  }

  /** What waits for the user is kept. */
  #end(): void {
    this.#review = null;
    this.#update();
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
    if (this.#review?.hunks.isOver) this.#review = null;
    const pending = this.#review?.hunks.pending ?? [];
    if (pending.length > 0) this.#view ??= new EditView();
    this.#view?.show(this.#review?.document ?? null, pending);
    this.#parts.setVisible(pending.length > 0);
  }
}

/** The lines of the selection; a line at whose start it ends has nothing of it. */
function selectedLines({ start, end }: Selection): { readonly start: number; readonly end: number } {
  const last = end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
  return { start: start.line, end: last + 1 };
}

/**
 * With no wait before the edit, so that VS Code refuses it where `lines` are no longer the document's.
 *
 * @param isFirst begins a step of Undo; what follows joins it unless the cursor has moved since
 */
async function applyHunks(
  document: TextDocument,
  lines: readonly string[],
  hunks: readonly Hunk[],
  isFirst: boolean,
): Promise<boolean> {
  const replacements = hunks.map((hunk) => {
    const { start, end, text } = hunkEdit(hunk, lines);
    return { range: new Range(start.line, start.character, end.line, end.character), text };
  });
  const editor = window.visibleTextEditors.find((each) => each.document === document);
  if (editor === undefined) {
    const edit = new WorkspaceEdit();
    for (const { range, text } of replacements) edit.replace(document.uri, range, text);
    return workspace.applyEdit(edit);
  }
  const change = (edit: TextEditorEdit): void => {
    for (const { range, text } of replacements) edit.replace(range, text);
  };
  return editText(editor, change, { undoStopBefore: isFirst, undoStopAfter: false });
}

function linesOf(document: TextDocument): string[] {
  return document.getText().split(/\r\n|\n/);
}

function inform(message: string): void {
  void notify('information', `Inkling: ${message}`);
}
