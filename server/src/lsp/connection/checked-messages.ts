import type {
  Connection,
  Position,
  Range,
  SelectedCompletionInfo,
  TextDocumentContentChangeEvent,
  TextDocuments,
} from 'vscode-languageserver';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { isCount, isRecord, isText } from '../../../protocol/index.js';
import type { Log } from '../../util/log.js';

type DocumentConnection = Parameters<TextDocuments<TextDocument>['listen']>[0];

/** LSP's library checks no parameters. Notifications about documents that are not as LSP has them are logged and ignored. */
export function checkedDocuments(connection: Connection, log: Log): DocumentConnection {
  const checked =
    <Params>(method: string, isSound: (params: unknown) => boolean, handle: (params: Params) => void) =>
    (params: Params): void => {
      if (isSound(params)) handle(params);
      else log.warn(`${method} has malformed parameters; ignored.`);
    };
  return {
    onDidOpenTextDocument: (handle) => connection.onDidOpenTextDocument(checked('didOpen', isOpening, handle)),
    onDidChangeTextDocument: (handle) => connection.onDidChangeTextDocument(checked('didChange', isChange, handle)),
    onDidCloseTextDocument: (handle) => connection.onDidCloseTextDocument(checked('didClose', namesDocument, handle)),
    onWillSaveTextDocument: (handle) => connection.onWillSaveTextDocument(checked('willSave', namesDocument, handle)),
    onWillSaveTextDocumentWaitUntil: (handle) => connection.onWillSaveTextDocumentWaitUntil(handle),
    onDidSaveTextDocument: (handle) => connection.onDidSaveTextDocument(checked('didSave', namesDocument, handle)),
  };
}

export function namesDocument(params: unknown): boolean {
  return isRecord(params) && isRecord(params.textDocument) && isText(params.textDocument.uri);
}

export function isPosition(value: unknown): value is Position {
  return isRecord(value) && isCount(value.line) && isCount(value.character);
}

export function isSelectedCompletion(value: unknown): value is SelectedCompletionInfo {
  return isRecord(value) && isText(value.text) && isRange(value.range);
}

function isRange(value: unknown): value is Range {
  return isRecord(value) && isPosition(value.start) && isPosition(value.end);
}

function isOpening(params: unknown): boolean {
  if (!isRecord(params) || !isRecord(params.textDocument)) return false;
  const { uri, languageId, version, text } = params.textDocument;
  return isText(uri) && isText(languageId) && Number.isSafeInteger(version) && isText(text);
}

function isChange(params: unknown): boolean {
  if (!isRecord(params) || !isRecord(params.textDocument) || !Array.isArray(params.contentChanges)) return false;
  const { uri, version } = params.textDocument;
  return isText(uri) && Number.isSafeInteger(version) && params.contentChanges.every(isContentChange);
}

function isContentChange(value: unknown): value is TextDocumentContentChangeEvent {
  return isRecord(value) && isText(value.text) && (value.range === undefined || isRange(value.range));
}
