import {
  CodeLens,
  type CodeLensProvider,
  Disposable,
  EventEmitter,
  languages,
  Position,
  Range,
  type TextDocument,
  type TextEditor,
  ThemeColor,
  window,
} from 'vscode';
import { t } from '../../../server/protocol/index.js';
import { INKLING_COMMANDS, INTERNAL_COMMANDS } from '../manifest/command-ids.js';
import { drawEdit } from './edit-drawing.js';
import type { PendingHunk } from './pending-hunks.js';

/** The editor takes its line's end for it. */
const BEHIND_ALL_TEXT = 1_000_000;

/** What editors show of an edit that waits for the user: new lines, old texts behind them, and buttons above them. */
export class EditView implements CodeLensProvider, Disposable {
  readonly #newLines = window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new ThemeColor('diffEditor.insertedLineBackground'),
    outline: '1px dashed',
    outlineColor: new ThemeColor('diffEditor.insertedTextBorder'),
    overviewRulerColor: new ThemeColor('editorOverviewRuler.addedForeground'),
  });
  readonly #oldTexts = window.createTextEditorDecorationType({});
  readonly #changed = new EventEmitter<void>();
  readonly #registered: Disposable;
  #document: TextDocument | null = null;
  #pending: readonly PendingHunk[] = [];

  readonly onDidChangeCodeLenses = this.#changed.event;

  constructor() {
    this.#registered = Disposable.from(
      languages.registerCodeLensProvider({ pattern: '**' }, this),
      window.onDidChangeVisibleTextEditors((editors) => this.#draw(editors)),
    );
  }

  /** @param document null to show nothing */
  show(document: TextDocument | null, pending: readonly PendingHunk[]): void {
    const before = this.#document;
    this.#document = document;
    this.#pending = pending;
    this.#draw(window.visibleTextEditors, before);
    this.#changed.fire();
  }

  provideCodeLenses(document: TextDocument): CodeLens[] {
    if (document !== this.#document || this.#pending.length === 0) return [];
    const lens = (line: number, title: string, command: string, ...parameters: unknown[]) =>
      new CodeLens(new Range(line, 0, line, 0), { title, command, arguments: parameters });
    return this.#pending.flatMap(({ id, start }, index) => {
      const line = Math.min(start, document.lineCount - 1);
      const own = [
        lens(line, t('Keep'), INTERNAL_COMMANDS.keepHunk, id),
        lens(line, t('Undo'), INTERNAL_COMMANDS.undoHunk, id),
      ];
      if (index > 0 || this.#pending.length === 1) {
        return index > 0 ? own : [...own, lens(line, t('Show diff'), INKLING_COMMANDS.showEdit)];
      }
      return [
        ...own,
        lens(line, t('Keep all'), INKLING_COMMANDS.keepEdit),
        lens(line, t('Undo all'), INKLING_COMMANDS.undoEdit),
        lens(line, t('Show diff'), INKLING_COMMANDS.showEdit),
      ];
    });
  }

  dispose(): void {
    Disposable.from(this.#registered, this.#newLines, this.#oldTexts, this.#changed).dispose();
  }

  /** @param before the document that was shown before */
  #draw(editors: readonly TextEditor[], before: TextDocument | null = null): void {
    const { newLines, oldTexts } = drawEdit(this.#pending);
    for (const editor of editors) {
      const isShown = editor.document === this.#document;
      if (!isShown && editor.document !== before) continue;
      const added = newLines.map(({ start, end }) => new Range(start, 0, end - 1, 0));
      const removed = oldTexts.map(({ line, text }) => {
        const at = new Position(line, BEHIND_ALL_TEXT);
        const after = {
          contentText: text.replaceAll(' ', '\u00a0'),
          color: new ThemeColor('editorCodeLens.foreground'),
          backgroundColor: new ThemeColor('diffEditor.removedTextBackground'),
          textDecoration: 'line-through',
          margin: '0 0 0 3ch',
        };
        return { range: new Range(at, at), renderOptions: { after } };
      });
      editor.setDecorations(this.#newLines, isShown ? added : []);
      editor.setDecorations(this.#oldTexts, isShown ? removed : []);
    }
  }
}
