import {
  commands,
  Disposable,
  type Position,
  Selection,
  type TextDocument,
  type TextEditor,
  window,
  workspace,
} from 'vscode';
import {
  type NextEdit,
  type NextEditAnnouncement,
  type NextEditMode,
  type NextEditOutcome,
  t,
} from '../../../server/protocol/index.js';
import { DOCUMENT_SCHEMES } from '../editor/document-schemes.js';
import { editText } from '../editor/edit-text.js';
import { cellOf } from '../editor/notebook-cell.js';
import { isReadOnly } from '../editor/read-only.js';
import { goTo } from '../editor/show-document.js';
import { EDITOR_COMMANDS, INKLING_COMMANDS, INTERNAL_COMMANDS } from '../manifest/command-ids.js';
import { showNotice } from '../texts/notify.js';
import { readAppearance } from './editor-appearance.js';
import { describeChange, fileName, spokenText } from './hint-text.js';
import { NextEditAction } from './next-edit-action.js';
import { type Drawing, drawNextEdit, type Viewpoint } from './next-edit-drawing.js';
import { CLICK, NextEditItem } from './next-edit-item.js';
import { NextEditView } from './next-edit-view.js';
import { NextInChain } from './next-in-chain.js';
import { placeAfter, type ShownChange, shownChange } from './shown-change.js';
import { columnBehind, tabText } from './typed-tab.js';

export interface NextEditsOptions {
  /** `off` while Inkling is off or snoozed, too, and while an edit of the chat model waits. */
  readonly mode: () => NextEditMode;
  readonly report: (outcome: NextEditOutcome) => void;
  /** For the key bindings. */
  readonly setKeys: (visible: boolean, takesTab: boolean) => void;
}

/** The announced edit. */
interface Announced {
  readonly edit: NextEdit;
  readonly change: ShownChange;
  /** Whether the user has seen it. */
  isShown: boolean;
  /** Whether the user has come to it with Tab, and is still there. */
  isArrived: boolean;
}

/** Where the user was when Tab was pressed. */
interface PressedTab {
  readonly editor: TextEditor;
  readonly version: number;
  readonly position: Position;
}

/** Shows the edit that the server announces, goes there and makes it. */
export class NextEdits implements Disposable {
  readonly #options: NextEditsOptions;
  readonly #view = new NextEditView();
  readonly #item = new NextEditItem();
  readonly #chain = new NextInChain();
  /** An edit that goes into a document now, and the version that it left; null until VS Code tells of it. */
  #making: { readonly document: TextDocument; left: number | null } | null = null;
  readonly #registrations: Disposable;
  /** Documents in which an edit failed. Where the user can type again, so can Inkling. */
  readonly #refusing = new WeakSet<TextDocument>();
  #announced: Announced | null = null;
  #drawing: Drawing | null = null;
  /** The document and version that the last made edit left: the next one follows, and no ghost text. */
  #made: { readonly uri: string; readonly version: number } | null = null;
  /** Where VS Code last got ghost text. Whether it is still there, the API does not say. */
  #ghostText: { readonly uri: string; readonly version: number; readonly position: Position } | null = null;

  constructor(options: NextEditsOptions) {
    this.#options = options;
    this.#registrations = Disposable.from(
      commands.registerCommand(INKLING_COMMANDS.acceptNextEdit, (origin: unknown) => this.#accept(origin)),
      commands.registerCommand(INKLING_COMMANDS.dismissNextEdit, () => this.#dismiss()),
      commands.registerCommand(INTERNAL_COMMANDS.makeNextEdit, () => this.#make()),
      new NextEditAction((document, line) => this.#offerAt(document, line)),
      workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        if (contentChanges.length === 0) return;
        if (this.#making?.document === document) this.#making.left ??= document.version;
        this.#refusing.delete(document);
        if (this.#concerns(document)) this.#documentChanged();
      }),
      workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('files')) this.#checkAgain();
      }),
      window.onDidChangeTextEditorSelection(({ textEditor }) => {
        if (textEditor === window.activeTextEditor) this.refresh();
      }),
      window.onDidChangeActiveTextEditor(() => this.refresh()),
      window.onDidChangeVisibleTextEditors(() => this.refresh()),
      window.onDidChangeTextEditorVisibleRanges(() => {
        if (this.#options.mode() === 'eager') this.refresh();
      }),
    );
  }

  announce({ edit }: NextEditAnnouncement): void {
    const isReadOnly = edit !== null && this.#cannotEdit(edit);
    const change = edit === null || isReadOnly ? null : shownChange(edit);
    this.#announced = edit === null || change === null ? null : { edit, change, isShown: false, isArrived: false };
    // The server then announces the one behind it.
    if (isReadOnly) this.#options.report({ id: edit.id, outcome: 'readOnly' });
    if (this.#announced !== null) this.#chain.settle();
    this.refresh();
  }

  /** VS Code got ghost text for this place, or none. */
  suggested(document: TextDocument, version: number, position: Position, hasItems: boolean): void {
    this.#ghostText = hasItems ? { uri: document.uri.toString(), version, position } : null;
    if (this.#drawing !== null) this.refresh();
  }

  /** Draws again: the settings, the ghost text or the cursor has changed. */
  refresh(): void {
    const editor = servedEditor();
    const mode = this.#options.mode();
    const document = this.#announced === null ? null : openDocument(this.#announced.edit);
    if (this.#announced === null || editor === null || mode === 'off' || document === null) this.#hide();
    else this.#show(this.#announced, document, editor, mode);
  }

  #show(announced: Announced, document: TextDocument, editor: TextEditor, mode: Viewpoint['mode']): void {
    const { edit, change } = announced;
    const cursor = editor.document.validatePosition(editor.selection.active);
    const elsewhere = editor.document === document ? null : placeName(document, editor.document);
    const places = window.visibleTextEditors.filter((each) => each.document === document);
    const view: Viewpoint = {
      mode,
      elsewhere,
      cursor,
      beforeCursor: editor.document.lineAt(cursor.line).text.slice(0, cursor.character),
      arrived: announced.isArrived,
      visible: places.some((each) => isVisible(each, change)),
      tabIsTaken: hasSelection(editor) || this.#hasGhostText(editor.document, cursor),
    };
    const lineAt = (line: number) => (line < document.lineCount ? document.lineAt(line).text : '');
    const drawing = drawNextEdit(edit, change, view, lineAt);
    this.#drawing = drawing;
    announced.isArrived &&= drawing.isThere;
    this.#view.draw(drawing, editor, places, readAppearance(editor));
    this.#item.show(spokenText(edit, change, elsewhere, drawing));
    this.#options.setKeys(true, drawing.takesTab);
    if (announced.isShown) return;
    announced.isShown = true;
    this.#options.report({ id: edit.id, outcome: 'shown' });
  }

  /** Whether editors show one. After the last one was made there may be none. */
  get isShown(): boolean {
    return this.#drawing !== null;
  }

  /** Whether automatic suggestions would be in the way of Tab: the user is at the edit, or has just made one. */
  holdsBack(document: TextDocument): boolean {
    const made = this.#made;
    if (made?.uri === document.uri.toString() && made.version === document.version) return true;
    return this.#drawing?.isThere === true && this.#announced?.isArrived === true;
  }

  dispose(): void {
    this.#chain.settle();
    this.#hide();
    Disposable.from(this.#registrations, this.#view, this.#item).dispose();
  }

  /**
   * @param origin the command's argument. `tab` for the key binding: where Tab means something else, this
   * does that, because VS Code learns of changed keys a moment later. A click takes the focus from the editor.
   */
  async #accept(origin: unknown): Promise<void> {
    const byTab = origin === 'tab';
    const editor = window.activeTextEditor;
    const pressed = editor && { editor, version: editor.document.version, position: editor.selection.active };
    await this.#chain.wait();
    const announced = this.#announced;
    const drawing = this.#drawing;
    if (announced === null || drawing === null || (byTab && !drawing.takesTab)) {
      if (byTab) await this.#writeTab(pressed);
    } else if (drawing.isThere) {
      if (origin === CLICK) await commands.executeCommand(EDITOR_COMMANDS.focusEditor);
      await this.#apply(announced);
    } else {
      await this.#goTo(announced, byTab);
    }
  }

  /** What was typed while Tab waited for the next edit stands after the tab. */
  async #writeTab(pressed: PressedTab | undefined): Promise<void> {
    if (pressed === undefined || pressed.editor.document.version === pressed.version) {
      await commands.executeCommand(EDITOR_COMMANDS.tab);
      return;
    }
    const { editor, position } = pressed;
    const before = editor.document.lineAt(position.line).text.slice(0, position.character);
    const tabSize = Number(editor.options.tabSize);
    const text = tabText(columnBehind(before, tabSize), {
      tabSize,
      insertSpaces: editor.options.insertSpaces === true,
    });
    const noUndoStop = { undoStopBefore: false, undoStopAfter: false };
    await editor.edit((builder) => builder.insert(position, text), noUndoStop);
  }

  /** Makes the edit wherever it is: the code action. */
  async #make(): Promise<void> {
    const announced = this.#announced;
    if (announced === null) return;
    // VS Code gives the keyboard back to the editor of the code action, also within a peek view.
    if (this.#drawing?.isThere !== true) await this.#goTo(announced, true);
    if (this.#announced === announced) await this.#apply(announced);
  }

  #dismiss(): void {
    this.#chain.settle();
    const announced = this.#announced;
    // Gives the keys back that were kept for the next one.
    this.announce({ edit: null });
    if (announced === null) return;
    this.#options.report({ id: announced.edit.id, outcome: 'dismissed' });
  }

  /** @param hasKeyboard whether the active editor has it */
  async #goTo(announced: Announced, hasKeyboard: boolean): Promise<void> {
    const { edit, change } = announced;
    const document = openDocument(edit);
    if (document === null) {
      this.announce({ edit: null });
      return;
    }
    const { line, character } = change.start;
    const editor = await goTo(document, new Selection(line, character, line, character), hasKeyboard);
    if (editor === null) showNotice(t('{0} cannot be opened.', fileName(edit.uri)));
    if (this.#announced !== announced) return;
    if (editor === null) {
      this.announce({ edit: null });
      return;
    }
    announced.isArrived = true;
    this.refresh();
  }

  async #apply({ edit }: Announced): Promise<void> {
    const editor = window.activeTextEditor;
    const document = openDocument(edit);
    if (editor === undefined || document === null || editor.document !== document) return;
    const { start, end } = edit.range;
    const range = new Selection(start.line, start.character, end.line, end.character);
    if (document.getText(range) !== edit.oldText) {
      this.announce({ edit: null });
      return;
    }
    // Before the text changes, so that the new one is not struck through for a moment.
    this.#view.clear();
    this.#chain.expect(() => this.refresh());
    const making = { document, left: null };
    this.#making = making;
    const isMade = await editText(editor, (builder) => builder.replace(range, edit.newText));
    this.#making = null;
    if (!isMade) {
      if (document.version === edit.version) {
        this.#refusing.add(document);
        showNotice(t('{0} cannot be edited.', fileName(edit.uri)));
        this.#options.report({ id: edit.id, outcome: 'readOnly' });
      }
      this.#chain.settle();
      this.announce({ edit: null });
      return;
    }
    const version = making.left ?? document.version;
    this.#made = { uri: edit.uri, version };
    this.#options.report({ id: edit.id, outcome: 'applied' });
    // Who has typed since is there already.
    if (document.version !== version) return;
    const behind = placeAfter(start, edit.newText);
    editor.selection = new Selection(behind.line, behind.character, behind.line, behind.character);
  }

  /** What the code action of this line says that the edit does; null without one. */
  #offerAt(document: TextDocument, line: number): string | null {
    const announced = this.#announced;
    if (announced === null || this.#drawing === null) return null;
    const { edit, change } = announced;
    const editor = window.activeTextEditor;
    const isAtPlace = document.uri.toString() === edit.uri && line >= change.start.line && line <= change.end.line;
    const isAtCursor = editor?.document === document && editor.selection.active.line === line;
    return isAtPlace || isAtCursor ? describeChange(edit, change) : null;
  }

  #hasGhostText(document: TextDocument, position: Position): boolean {
    const last = this.#ghostText;
    return (
      last?.uri === document.uri.toString() && last.version === document.version && last.position.isEqual(position)
    );
  }

  #documentChanged(): void {
    if (this.#making === null) this.#chain.settle();
    this.announce({ edit: null });
  }

  /** Nobody is sent to a place where Tab does nothing. */
  #cannotEdit(edit: NextEdit): boolean {
    const document = openDocument(edit);
    return document !== null && (this.#refusing.has(document) || isReadOnly(document));
  }

  /** The settings may have made its file read-only. */
  #checkAgain(): void {
    const announced = this.#announced;
    if (announced !== null && this.#cannotEdit(announced.edit)) this.announce(announced);
  }

  #concerns(document: TextDocument): boolean {
    return document.uri.toString() === this.#announced?.edit.uri || document === servedEditor()?.document;
  }

  #hide(): void {
    if (!this.#chain.isExpected) this.#options.setKeys(false, false);
    if (this.#drawing === null) return;
    this.#drawing = null;
    this.#view.clear();
    this.#item.hide();
  }
}

/** The active editor, unless that is a log in the panel or the older side of a comparison: Tab does nothing there. */
function servedEditor(): TextEditor | null {
  const editor = window.activeTextEditor;
  return editor !== undefined && DOCUMENT_SCHEMES.includes(editor.document.uri.scheme) ? editor : null;
}

/** The document that the edit was announced for; null if it has changed or is closed. */
function openDocument({ uri, version }: NextEdit): TextDocument | null {
  const found = workspace.textDocuments.find((document) => document.uri.toString() === uri);
  return found?.version === version ? found : null;
}

/** A cell by its number, with its notebook's name where the user is in another file. */
function placeName(document: TextDocument, active: TextDocument): string {
  const cell = cellOf(document);
  const name = fileName(document.uri.toString());
  if (cell === null) return name;
  const number = cell.index + 1;
  return cellOf(active)?.notebook === cell.notebook ? t('cell {0}', number) : t('{0}, cell {1}', name, number);
}

/** Several cursors count, as for the key binding. */
function hasSelection({ selections }: TextEditor): boolean {
  return selections.length > 1 || selections.some(({ isEmpty }) => !isEmpty);
}

function isVisible({ visibleRanges }: TextEditor, { start, end }: ShownChange): boolean {
  return visibleRanges.some((range) => range.start.line <= end.line && range.end.line >= start.line);
}
