import { Range, type TextDocument, type TextEditorEdit, WorkspaceEdit, window, workspace } from 'vscode';
import { hunkEdit } from '../chat/code/hunk-edit.js';
import type { Hunk } from '../chat/code/line-hunks.js';
import { editText } from '../editor/edit-text.js';

/**
 * With no wait before the edit, so that VS Code refuses it where `lines` are no longer the document's.
 *
 * @param isFirst begins a step of Undo; what follows joins it unless the cursor has moved since
 */
export async function applyHunks(
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

export function linesOf(document: TextDocument): string[] {
  return document.getText().split(/\r\n|\n/);
}
