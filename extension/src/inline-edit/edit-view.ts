import {
  CodeLens,
  type CodeLensProvider,
  type DecorationOptions,
  Disposable,
  EventEmitter,
  languages,
  MarkdownString,
  Range,
  type TextDocument,
  type TextEditor,
  type ThemableDecorationAttachmentRenderOptions,
  ThemeColor,
  window,
} from 'vscode';
import { t } from '../../../server/protocol/index.js';
import { INKLING_COMMANDS, INTERNAL_COMMANDS } from '../manifest/command-ids.js';
import { diffMarkdown } from '../next-edit/hover-text.js';
import { drawEdit, GAP_COLUMNS, type HunkHover, type OldText } from './edit-drawing.js';
import type { PendingHunk } from './pending-hunks.js';

/** The editor takes its line's end for it. */
const BEHIND_ALL_TEXT = 1_000_000;

/** What editors show of edits that wait for the user: new lines, old ones after them or in a hover, and buttons. */
export class EditView implements CodeLensProvider, Disposable {
  readonly #newLines = window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new ThemeColor('diffEditor.insertedLineBackground'),
    outline: '1px dashed',
    outlineColor: new ThemeColor('diffEditor.insertedTextBorder'),
    overviewRulerColor: new ThemeColor('editorOverviewRuler.addedForeground'),
  });
  readonly #oldTexts = window.createTextEditorDecorationType({});
  readonly #hovers = window.createTextEditorDecorationType({});
  readonly #changed = new EventEmitter<void>();
  readonly #registered: Disposable;
  readonly #pending = new Map<TextDocument, readonly PendingHunk[]>();

  readonly onDidChangeCodeLenses = this.#changed.event;

  constructor() {
    this.#registered = Disposable.from(
      languages.registerCodeLensProvider({ pattern: '**' }, this),
      window.onDidChangeVisibleTextEditors((editors) =>
        this.#draw(editors.filter(({ document }) => this.#pending.has(document))),
      ),
    );
  }

  /** @param pending all hunks of the document that wait; none to show nothing in it */
  show(document: TextDocument, pending: readonly PendingHunk[]): void {
    if (pending.length > 0) this.#pending.set(document, pending);
    else if (!this.#pending.delete(document)) return;
    this.#draw(window.visibleTextEditors.filter((editor) => editor.document === document));
    this.#changed.fire();
  }

  provideCodeLenses(document: TextDocument): CodeLens[] {
    const pending = this.#pending.get(document) ?? [];
    const address = document.uri.toString();
    const lens = (line: number, title: string, command: string, ...parameters: unknown[]) =>
      new CodeLens(new Range(line, 0, line, 0), { title, command, arguments: parameters });
    return pending.flatMap(({ id, start }, index) => {
      const line = Math.min(start, document.lineCount - 1);
      const own = [
        lens(line, t('Keep'), INTERNAL_COMMANDS.keepHunk, id),
        lens(line, t('Undo'), INTERNAL_COMMANDS.undoHunk, id),
      ];
      if (index > 0) return own;
      const ofAll = [
        lens(line, t('Keep all'), INKLING_COMMANDS.keepEdit, address),
        lens(line, t('Undo all'), INKLING_COMMANDS.undoEdit, address),
      ];
      const diff = lens(line, t('Show diff'), INKLING_COMMANDS.showEdit, address);
      return [...own, ...(pending.length > 1 ? ofAll : []), diff];
    });
  }

  dispose(): void {
    Disposable.from(this.#registered, this.#newLines, this.#oldTexts, this.#hovers, this.#changed).dispose();
  }

  #draw(editors: readonly TextEditor[]): void {
    for (const editor of editors) {
      const { document } = editor;
      const lineAt = (line: number): string => (line < document.lineCount ? document.lineAt(line).text : '');
      const { newLines, oldTexts, hovers } = drawEdit(this.#pending.get(document) ?? [], lineAt);
      const added = newLines.map(({ start, end }) => new Range(start, 0, end - 1, 0));
      editor.setDecorations(this.#newLines, added);
      editor.setDecorations(this.#oldTexts, oldTexts.map(oldTextDecoration));
      editor.setDecorations(this.#hovers, hovers.map(hoverDecoration));
    }
  }
}

function oldTextDecoration({ line, kind, text }: OldText): DecorationOptions {
  const after: ThemableDecorationAttachmentRenderOptions = {
    contentText: text.replaceAll(' ', '\u00a0'),
    color: new ThemeColor('editorCodeLens.foreground'),
    backgroundColor: new ThemeColor('diffEditor.removedTextBackground'),
    margin: `0 0 0 ${GAP_COLUMNS}ch`,
    ...(kind === 'line' ? { textDecoration: 'line-through' } : {}),
  };
  return { range: new Range(line, BEHIND_ALL_TEXT, line, BEHIND_ALL_TEXT), renderOptions: { after } };
}

function hoverDecoration({ first, last, oldLines, newLines }: HunkHover): DecorationOptions {
  const hoverMessage = new MarkdownString(diffMarkdown(oldLines, newLines));
  return { range: new Range(first, 0, last, BEHIND_ALL_TEXT), hoverMessage };
}
