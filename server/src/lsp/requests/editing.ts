import type { Connection } from 'vscode-languageserver';
import {
  CURSOR_NOTIFICATION,
  type CursorMoved,
  EDIT_REASON_NOTIFICATION,
  type EditReason,
  isCount,
  isRecord,
  isText,
} from '../../../protocol/index.js';
import type { CompletionService } from '../../completion/completion-service.js';
import type { NextEditService } from '../../next-edit/next-edit-service.js';
import type { Log } from '../../util/log.js';
import type { OpenDocuments } from '../documents/documents.js';
import type { ShownDocuments } from '../documents/shown-documents.js';
import { requestAt } from '../documents/snapshot.js';
import type { WorkspaceFolders } from '../documents/workspace-folders.js';

/** Handles what clients report of the user's edits and cursor (protocol/editing.ts). */
export function handleEditing(
  connection: Connection,
  documents: OpenDocuments,
  folders: WorkspaceFolders,
  service: CompletionService,
  nextEdits: NextEditService,
  shown: Pick<ShownDocuments, 'cursorAt'>,
  log: Log,
): void {
  connection.onNotification(EDIT_REASON_NOTIFICATION, (params: unknown) => {
    if (!isEditReason(params)) {
      return log.warn(`${EDIT_REASON_NOTIFICATION} must hold a URI, a version and undo or redo; ignored.`);
    }
    if (documents.get(params.uri) === undefined) return;
    service.documentUndone(params.uri, params.version);
    nextEdits.documentUndone(params.uri, params.version);
  });

  connection.onNotification(CURSOR_NOTIFICATION, (params: unknown) => {
    if (!isCursorMoved(params)) {
      return log.warn(`${CURSOR_NOTIFICATION} must hold a URI, a line and a character; ignored.`);
    }
    const document = documents.get(params.uri);
    if (document === undefined) return;
    const request = requestAt(document, document.offsetAt(params), 'prepared', folders.uris);
    service.cursorMoved(request);
    shown.cursorAt(request);
    nextEdits.cursorMoved(params.uri, request.offset);
  });
}

function isEditReason(params: unknown): params is EditReason {
  if (!isRecord(params)) return false;
  const { uri, version, reason } = params;
  return isText(uri) && Number.isSafeInteger(version) && (reason === 'undo' || reason === 'redo');
}

function isCursorMoved(params: unknown): params is CursorMoved {
  return isRecord(params) && isText(params.uri) && isCount(params.line) && isCount(params.character);
}
