import {
  commands,
  NotebookRange,
  type Selection,
  type TextDocument,
  type TextEditor,
  TextEditorRevealType,
  window,
} from 'vscode';
import { EDITOR_COMMANDS } from '../manifest/command-ids.js';
import { cellOf } from './notebook-cell.js';

/** A cell that is selected has an editor a moment later. */
const CELL_TIME_LIMIT_MS = 2_000;

/**
 * Shows a document and moves the keyboard there. Nothing that is open is hidden: one that is visible in another column is
 * shown there, and a cell in its notebook.
 *
 * @param selection null for the present one
 * @returns null where VS Code cannot show it, such as a file that was deleted
 */
export async function showDocument(document: TextDocument, selection: Selection | null): Promise<TextEditor | null> {
  try {
    return (await showCell(document, selection)) ?? (await showText(document, selection));
  } catch {
    return null;
  }
}

/**
 * Goes to a place as `showDocument` does, but stays in the active editor where that has the document: a comparison or a
 * peek view would be left for another tab.
 *
 * @param hasKeyboard whether the active editor has it already
 */
export async function goTo(
  document: TextDocument,
  selection: Selection,
  hasKeyboard: boolean,
): Promise<TextEditor | null> {
  const active = window.activeTextEditor;
  if (active?.document !== document || cellOf(document) !== null) return showDocument(document, selection);
  active.selection = selection;
  active.revealRange(selection, TextEditorRevealType.InCenterIfOutsideViewport);
  if (!hasKeyboard) await commands.executeCommand(EDITOR_COMMANDS.focusEditor);
  return active;
}

async function showText(document: TextDocument, selection: Selection | null): Promise<TextEditor> {
  const shown = window.visibleTextEditors.find((each) => each.document === document);
  const active = window.activeTextEditor;
  const viewColumn = active?.document === document ? active.viewColumn : shown?.viewColumn;
  return window.showTextDocument(document, {
    ...(viewColumn === undefined ? {} : { viewColumn }),
    ...(selection === null ? {} : { selection }),
    preview: false,
  });
}

/** Null for a document that is no cell. `showTextDocument` would open a cell as a file of its own. */
async function showCell(document: TextDocument, selection: Selection | null): Promise<TextEditor | null> {
  const cell = cellOf(document);
  if (cell === null) return null;
  const { notebook, index } = cell;
  const shown = window.visibleNotebookEditors.find((each) => each.notebook === notebook);
  await window.showNotebookDocument(notebook, {
    ...(shown?.viewColumn === undefined ? {} : { viewColumn: shown.viewColumn }),
    preview: false,
    selections: [new NotebookRange(index, index + 1)],
  });
  await commands.executeCommand(EDITOR_COMMANDS.editCell);
  const editor = await untilActive(document);
  if (selection !== null) {
    editor.selection = selection;
    editor.revealRange(selection);
  }
  return editor;
}

/** @throws Error if the document does not become active in time */
function untilActive(document: TextDocument): Promise<TextEditor> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      const editor = window.activeTextEditor;
      if (editor?.document !== document) return;
      finish();
      resolve(editor);
    };
    const listener = window.onDidChangeActiveTextEditor(look);
    const timer = setTimeout(() => {
      finish();
      reject(new Error('The cell has no editor.'));
    }, CELL_TIME_LIMIT_MS);
    const finish = (): void => {
      clearTimeout(timer);
      listener.dispose();
    };
    look();
  });
}
