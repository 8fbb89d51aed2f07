import assert from 'node:assert/strict';
import {
  commands,
  NotebookCellData,
  NotebookCellKind,
  NotebookData,
  type NotebookDocument,
  Range,
  Selection,
  window,
  workspace,
} from 'vscode';
import { EDITOR_COMMANDS, INKLING_COMMANDS } from '../../../extension/src/manifest/command-ids.js';
import { activateInkling, until, untilState } from './inkling.js';

const CELLS = ['total = 1\nprint(total)\n', 'print(total + 1)\n'];
const [OLD, NEW] = ['total', 'count'];

describe('in a notebook', () => {
  after(() => commands.executeCommand('workbench.action.revertAndCloseActiveEditor'));

  it('next edits lead to the other cells of a renamed name', async () => {
    await untilState(await activateInkling(), 'ready');
    const notebook = await openNotebook();
    const { document } = notebook.cellAt(0);
    const editor = window.activeTextEditor;
    assert.equal(editor?.document, document);
    const declared = new Range(0, 0, 0, OLD.length);
    assert.equal(document.getText(declared), OLD);
    await editor.edit((builder) => builder.replace(declared, NEW));
    editor.selection = new Selection(0, NEW.length, 0, NEW.length);

    const renamed = CELLS.map((text) => text.replaceAll(OLD, NEW));
    await until('the other places are renamed', async () => {
      await commands.executeCommand(INKLING_COMMANDS.acceptNextEdit);
      return notebook.getCells().every((cell, index) => cell.document.getText() === renamed[index]);
    });
    assert.equal(window.activeTextEditor?.document, notebook.cellAt(1).document);
    const tabs = window.tabGroups.all.flatMap((group) => group.tabs);
    assert.equal(tabs.filter(({ label }) => label.includes('.ipynb')).length, 1, 'a cell has a tab of its own');
  });
});

/** The cursor is in the first cell. */
async function openNotebook(): Promise<NotebookDocument> {
  const notebook = await workspace.openNotebookDocument(
    'jupyter-notebook',
    new NotebookData(CELLS.map((text) => new NotebookCellData(NotebookCellKind.Code, text, 'python'))),
  );
  await window.showNotebookDocument(notebook);
  await commands.executeCommand(EDITOR_COMMANDS.editCell);
  await until('the cursor is in the first cell', () => {
    return window.activeTextEditor?.document === notebook.cellAt(0).document;
  });
  return notebook;
}
