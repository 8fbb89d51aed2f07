import {
  commands,
  NotebookRange,
  type Position,
  Selection,
  type TextDocument,
  type TextEditor,
  window,
  workspace,
} from 'vscode';
import { EDITOR_COMMANDS } from '../manifest/command-ids.js';

/** A cell that is selected has an editor a moment later. */
const CELL_TIME_LIMIT_MS = 2_000;

/**
 * Shows the place, with the cursor in it. Nothing that is open is hidden: a document that is visible in another column
 * is shown there.
 *
 * @returns false where VS Code cannot show it, such as a file that was deleted
 */
export async function showPlace(document: TextDocument, position: Position): Promise<boolean> {
  const selection = new Selection(position, position);
  try {
    if (await showCell(document, selection)) return true;
    const shown = window.visibleTextEditors.find((each) => each.document === document);
    const active = window.activeTextEditor;
    const viewColumn = active?.document === document ? active.viewColumn : shown?.viewColumn;
    const column = viewColumn === undefined ? {} : { viewColumn };
    await window.showTextDocument(document, { ...column, preview: false, selection });
    return true;
  } catch {
    return false;
  }
}

/** @returns false for a document that is no cell. `showTextDocument` would open a cell as a file of its own. */
async function showCell(document: TextDocument, selection: Selection): Promise<boolean> {
  const cells = workspace.notebookDocuments.flatMap((each) => each.getCells());
  const cell = cells.find((each) => each.document === document);
  if (cell === undefined) return false;
  const { notebook, index } = cell;
  const shown = window.visibleNotebookEditors.find((each) => each.notebook === notebook);
  await window.showNotebookDocument(notebook, {
    ...(shown?.viewColumn === undefined ? {} : { viewColumn: shown.viewColumn }),
    preview: false,
    selections: [new NotebookRange(index, index + 1)],
  });
  await commands.executeCommand(EDITOR_COMMANDS.editCell);
  const editor = await activeEditorOf(document);
  editor.selection = selection;
  editor.revealRange(selection);
  return true;
}

/** @throws Error after a while without one */
async function activeEditorOf(document: TextDocument): Promise<TextEditor> {
  const active = (): TextEditor | null => {
    const editor = window.activeTextEditor;
    return editor?.document === document ? editor : null;
  };
  return (
    active() ??
    (await new Promise((resolve, reject) => {
      const listener = window.onDidChangeActiveTextEditor(() => {
        const editor = active();
        if (editor === null) return;
        finish();
        resolve(editor);
      });
      const timer = setTimeout(() => {
        finish();
        reject(new Error('The cell has no editor.'));
      }, CELL_TIME_LIMIT_MS);
      const finish = (): void => {
        clearTimeout(timer);
        listener.dispose();
      };
    }))
  );
}
