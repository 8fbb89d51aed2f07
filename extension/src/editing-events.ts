import {
  Disposable,
  type TextDocumentChangeEvent,
  TextDocumentChangeReason,
  type TextEditor,
  TextEditorSelectionChangeKind,
  window,
  workspace,
} from 'vscode';
import {
  CURSOR_NOTIFICATION,
  type CursorMoved,
  EDIT_REASON_NOTIFICATION,
  type EditReason,
} from '../../server/protocol/index.js';

/** The cursor's position is reported after it has rested this long. */
const CURSOR_RESTS_MS = 80;

/** Reports to the server what LSP does not: undo, redo and the cursor's position. */
export function reportEditing(notify: (method: string, parameters: unknown) => void): Disposable {
  let resting: NodeJS.Timeout | undefined;
  const tellOnceItRests = (editor: TextEditor): void => {
    clearTimeout(resting);
    const versionThen = editor.document.version;
    resting = setTimeout(() => {
      if (editor !== window.activeTextEditor || editor.document.version !== versionThen) return;
      const { line, character } = editor.selection.active;
      const event: CursorMoved = { uri: editor.document.uri.toString(), line, character };
      notify(CURSOR_NOTIFICATION, event);
    }, CURSOR_RESTS_MS);
  };
  return Disposable.from(
    workspace.onDidChangeTextDocument(({ document, reason }: TextDocumentChangeEvent) => {
      if (reason === undefined) return;
      const event: EditReason = {
        uri: document.uri.toString(),
        version: document.version,
        reason: reason === TextDocumentChangeReason.Undo ? 'undo' : 'redo',
      };
      notify(EDIT_REASON_NOTIFICATION, event);
    }),
    window.onDidChangeTextEditorSelection(({ textEditor, kind }) => {
      clearTimeout(resting);
      // Typing moves the cursor too, but sends its own request.
      if (kind !== TextEditorSelectionChangeKind.Mouse && kind !== TextEditorSelectionChangeKind.Keyboard) return;
      if (textEditor === window.activeTextEditor) tellOnceItRests(textEditor);
    }),
    window.onDidChangeActiveTextEditor((editor) => {
      if (editor !== undefined) tellOnceItRests(editor);
    }),
    { dispose: () => clearTimeout(resting) },
  );
}
