import {
  type DecorationOptions,
  type DecorationRenderOptions,
  Disposable,
  MarkdownString,
  Position,
  Range,
  type TextEditor,
  type TextEditorDecorationType,
  type ThemableDecorationAttachmentRenderOptions,
  ThemeColor,
  Uri,
  window,
} from 'vscode';
import { columnsOf, displayText } from './display-text.js';
import { diffMarkdown } from './hover-text.js';
import type { Drawing, Hint, Preview } from './next-edit-drawing.js';
import { type CodeAppearance, type PaletteName, previewImage } from './preview-image.js';

/** New text within a line; more is cut off, since the hover has all of it. */
const LONGEST_TEXT = 160;
/** The preview of several lines begins at most this many columns to the right. */
const FARTHEST_COLUMN = 90;
const GAP_COLUMNS = 3;
/** The editor takes its line's end for it, even if keys have moved that meanwhile. */
const BEHIND_ALL_TEXT = 1_000_000;

/** What each kind of drawing always looks like. Colours are the theme's. */
const LOOKS = {
  insertion: {},
  removedText: {
    backgroundColor: new ThemeColor('diffEditor.removedTextBackground'),
    outline: '1px dashed',
    outlineColor: new ThemeColor('diffEditor.removedTextBorder'),
    textDecoration: 'line-through',
  },
  removedLines: {
    isWholeLine: true,
    backgroundColor: new ThemeColor('diffEditor.removedLineBackground'),
    outline: '1px dashed',
    outlineColor: new ThemeColor('diffEditor.removedTextBorder'),
  },
  /** Has no look, so that it can be where lines are added and none removed. */
  newLines: {},
  hint: {},
} as const satisfies Readonly<Record<string, DecorationRenderOptions>>;

type DrawnKind = keyof typeof LOOKS;
type DecorationTypes = Readonly<Record<DrawnKind, TextEditorDecorationType>>;
type Decorations = Partial<Record<DrawnKind, readonly DecorationOptions[]>>;

/** Owns everything of a next edit that editors show. */
export class NextEditView implements Disposable {
  /** Made for the first edit, once. */
  #types: DecorationTypes | null = null;
  #drawnOn: ReadonlySet<TextEditor> = new Set();

  /**
   * Replaces what was drawn.
   *
   * @param places the editors that show the edit's file
   */
  draw(
    { hint, preview }: Drawing,
    active: TextEditor,
    places: readonly TextEditor[],
    appearance: CodeAppearance,
  ): void {
    const previewed = preview === null ? [] : places;
    const editors = new Set([active, ...previewed]);
    this.#clearOthers(editors);
    this.#drawnOn = editors;
    for (const editor of editors) {
      this.#set(editor, {
        ...(editor === active && hint !== null ? hintDecorations(hint) : {}),
        ...(previewed.includes(editor) && preview !== null ? previewDecorations(preview, appearance) : {}),
      });
    }
  }

  clear(): void {
    this.#clearOthers(new Set());
    this.#drawnOn = new Set();
  }

  dispose(): void {
    if (this.#types !== null) Disposable.from(...Object.values(this.#types)).dispose();
    this.#types = null;
    this.#drawnOn = new Set();
  }

  #clearOthers(kept: ReadonlySet<TextEditor>): void {
    for (const editor of this.#drawnOn) {
      if (!kept.has(editor) && window.visibleTextEditors.includes(editor)) this.#set(editor, {});
    }
  }

  #set(editor: TextEditor, decorations: Decorations): void {
    this.#types ??= createTypes();
    for (const kind of Object.keys(LOOKS) as DrawnKind[]) {
      editor.setDecorations(this.#types[kind], decorations[kind] ?? []);
    }
  }
}

function createTypes(): DecorationTypes {
  const types = Object.entries(LOOKS).map(([kind, look]) => [kind, window.createTextEditorDecorationType(look)]);
  return Object.fromEntries(types) as DecorationTypes;
}

function hintDecorations({ line, text }: Hint): Decorations {
  const end = new Position(line, BEHIND_ALL_TEXT);
  const after: ThemableDecorationAttachmentRenderOptions = {
    contentText: unbroken(text),
    color: new ThemeColor('editorCodeLens.foreground'),
    margin: '0 0 0 2ch',
  };
  return { hint: [{ range: new Range(end, end), renderOptions: { after } }] };
}

function previewDecorations(preview: Preview, appearance: CodeAppearance): Decorations {
  switch (preview.kind) {
    case 'insertion': {
      const { line, character } = preview.at;
      const after: ThemableDecorationAttachmentRenderOptions = {
        contentText: shownText(preview.text, appearance),
        // High contrast themes have a border and no colour; a ThemeColor would then make the text transparent.
        color: 'var(--vscode-editorGhostText-foreground)',
        backgroundColor: new ThemeColor('editorGhostText.background'),
        border: '1px solid var(--vscode-editorGhostText-border, transparent)',
        fontStyle: 'italic',
      };
      const range = new Range(line, character, line, character);
      return { insertion: [{ range, ...hoverIfCut(preview.text, appearance), renderOptions: { after } }] };
    }
    case 'replacement': {
      const { start, end, text } = preview;
      const range = new Range(start.line, start.character, end.line, end.character);
      if (text === '') return { removedText: [{ range }] };
      const after: ThemableDecorationAttachmentRenderOptions = {
        contentText: shownText(text, appearance),
        color: new ThemeColor('editor.foreground'),
        backgroundColor: new ThemeColor('diffEditor.insertedTextBackground'),
        border: '1px solid',
        borderColor: new ThemeColor('diffEditor.insertedTextBorder'),
        margin: '0 0 0 0.5ch',
        // The old text's line goes through whatever stands within its decoration.
        textDecoration: 'none; display: inline-block; line-height: normal',
      };
      const hover = hoverIfCut(text, appearance);
      return {
        removedText: [{ range, ...hover }],
        insertion: [{ range: new Range(range.end, range.end), ...hover, renderOptions: { after } }],
      };
    }
    case 'lines':
      return linesDecorations(preview, appearance);
  }
}

function linesDecorations(
  { line, oldLines, newLines }: Extract<Preview, { kind: 'lines' }>,
  appearance: CodeAppearance,
): Decorations {
  const hoverMessage = diffHover(oldLines, newLines);
  const first = new Range(line, 0, line, 0);
  const last = oldLines.at(-1);
  // Without old lines the range would end above the document, and VS Code throws.
  const removedLines =
    last === undefined ? [] : [{ range: new Range(line, 0, line + oldLines.length - 1, last.length), hoverMessage }];
  const column = oldLines.reduce(
    (most, each) => Math.max(most, columnsOf(displayText(each, FARTHEST_COLUMN, appearance.tabSize))),
    0,
  );
  const image = (palette: PaletteName) => imageAttachment(newLines, appearance, palette, column);
  const [light, dark] = [image('light'), image('dark')];
  if (light === null || dark === null) return { removedLines };
  return {
    removedLines,
    newLines: [{ range: first, hoverMessage, renderOptions: { light: { before: light }, dark: { before: dark } } }],
  };
}

/** At the start of a line, and so many columns to the right of it: a line's end may be anywhere. */
function imageAttachment(
  lines: readonly string[],
  appearance: CodeAppearance,
  palette: PaletteName,
  column: number,
): ThemableDecorationAttachmentRenderOptions | null {
  const image = previewImage(lines, appearance, palette);
  if (image === null) return null;
  return {
    contentIconPath: Uri.parse(image.address),
    width: `${image.width}px`,
    height: `${image.height}px`,
    backgroundColor: new ThemeColor('editor.background'),
    border: '1px solid',
    borderColor: new ThemeColor('editorWidget.border'),
    margin: `0 0 0 ${column + GAP_COLUMNS}ch`,
    // The image takes no room of the line: it stands over the editor's empty part.
    textDecoration: 'none; position: absolute; z-index: 1; pointer-events: none',
  };
}

function shownText(text: string, { tabSize }: CodeAppearance): string {
  return unbroken(displayText(text, LONGEST_TEXT, tabSize));
}

/** All of a text within a line of which only the beginning is drawn. */
function hoverIfCut(text: string, { tabSize }: CodeAppearance): Pick<DecorationOptions, 'hoverMessage'> {
  const isWhole = displayText(text, LONGEST_TEXT, tabSize) === displayText(text, 2 * LONGEST_TEXT, tabSize);
  return isWhole ? {} : { hoverMessage: diffHover([], [text]) };
}

function diffHover(oldLines: readonly string[], newLines: readonly string[]): MarkdownString {
  return new MarkdownString(diffMarkdown(oldLines, newLines));
}

/** The editor would draw several blanks as one. */
function unbroken(text: string): string {
  return text.replaceAll(' ', '\u00a0');
}
