import type { TextEditor, TextEditorEdit } from 'vscode';

interface UndoSteps {
  readonly undoStopBefore: boolean;
  readonly undoStopAfter: boolean;
}

/**
 * Edits the document of an editor as its user could.
 *
 * @returns false if nothing was edited: the document is read-only or has changed meanwhile, or the editor was closed
 */
export async function editText(
  editor: TextEditor,
  edit: (builder: TextEditorEdit) => void,
  steps: UndoSteps = { undoStopBefore: true, undoStopAfter: true },
): Promise<boolean> {
  const { version } = editor.document;
  const answer = await editor.edit(edit, steps).then(undefined, () => false);
  // VS Code answers true although it edits nothing where a document is read-only in this session. News of a change
  // comes before the answer.
  return answer && editor.document.version !== version;
}
