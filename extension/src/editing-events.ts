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

type Notify = (method: string, parameters: unknown) => void;

/** Reports the cursor of the active editor, to a server that has just started: it prepares the first key there. */
export function reportCursor(notify: Notify): void {
  const editor = window.activeTextEditor;
  if (editor !== undefined) notify(CURSOR_NOTIFICATION, cursorOf(editor));
}

function cursorOf({ document, selection }: TextEditor): CursorMoved {
  const { line, character } = selection.active;
  return { uri: document.uri.toString(), line, character };
}

/** Reports to the server what LSP does not: undo, redo and the cursor's position. */
export function reportEditing(notify: Notify): Disposable {
  let resting: NodeJS.Timeout | undefined;
  const tellOnceItRests = (editor: TextEditor): void => {
    clearTimeout(resting);
    const versionThen = editor.document.version;
    resting = setTimeout(() => {
      if (editor !== window.activeTextEditor || editor.document.version !== versionThen) return;
      notify(CURSOR_NOTIFICATION, cursorOf(editor));
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
