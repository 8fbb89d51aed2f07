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
} from '../../../server/protocol/index.js';

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
  let resting: NodeJS.Timeout | null = null;
  /** Whether the server knows that the user is in the active editor. */
  let isTold = false;
  const forget = (): void => {
    if (resting !== null) clearTimeout(resting);
  };
  const tell = (editor: TextEditor): void => {
    forget();
    isTold = true;
    notify(CURSOR_NOTIFICATION, cursorOf(editor));
  };
  const tellOnceItRests = (editor: TextEditor): void => {
    forget();
    const versionThen = editor.document.version;
    resting = setTimeout(() => {
      if (editor === window.activeTextEditor && editor.document.version === versionThen) tell(editor);
    }, CURSOR_RESTS_MS);
  };
  return Disposable.from(
    workspace.onDidChangeTextDocument(({ document, contentChanges, reason }: TextDocumentChangeEvent) => {
      const editor = window.activeTextEditor;
      // The language client sends the change after this. The server would not take it for the user's own.
      if (!isTold && contentChanges.length > 0 && editor?.document === document) tell(editor);
      if (reason === undefined) return;
      const event: EditReason = {
        uri: document.uri.toString(),
        version: document.version,
        reason: reason === TextDocumentChangeReason.Undo ? 'undo' : 'redo',
      };
      notify(EDIT_REASON_NOTIFICATION, event);
    }),
    window.onDidChangeTextEditorSelection(({ textEditor, kind }) => {
      if (textEditor !== window.activeTextEditor) return;
      const isByHand = kind === TextEditorSelectionChangeKind.Mouse || kind === TextEditorSelectionChangeKind.Keyboard;
      // A file that is opened at a place, such as a definition, becomes active first. Its cursor goes there afterwards.
      if (isByHand || !isTold) tellOnceItRests(textEditor);
      else forget();
    }),
    window.onDidChangeActiveTextEditor((editor) => {
      isTold = false;
      if (editor !== undefined) tellOnceItRests(editor);
    }),
    { dispose: forget },
  );
}
