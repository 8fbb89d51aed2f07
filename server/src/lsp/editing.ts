import type { Connection } from 'vscode-languageserver';
import {
  ACCEPTANCE_NOTIFICATION,
  type Acceptance,
  CURSOR_NOTIFICATION,
  type CursorMoved,
  EDIT_REASON_NOTIFICATION,
  type EditReason,
  isCount,
  isRecord,
  isText,
} from '../../protocol/index.js';
import type { CompletionService } from '../completion/completion-service.js';
import type { AcceptanceTracker } from '../completion/feedback/acceptance.js';
import type { Log } from '../util/log.js';
import type { OpenDocuments } from './documents.js';
import { requestAt } from './snapshot.js';
import type { WorkspaceFolders } from './workspace-folders.js';

/** The notifications of protocol/editing.ts, and what the server reports of edits. */
export function handleEditing(
  connection: Connection,
  documents: OpenDocuments,
  folders: WorkspaceFolders,
  service: CompletionService,
  acceptance: AcceptanceTracker,
  log: Log,
): void {
  connection.onNotification(EDIT_REASON_NOTIFICATION, (params: unknown) => {
    if (!isEditReason(params)) {
      return log.warn(`${EDIT_REASON_NOTIFICATION} must hold a URI, a version and undo or redo; ignored.`);
    }
    service.documentUndone(params.uri, params.version);
  });

  connection.onNotification(CURSOR_NOTIFICATION, (params: unknown) => {
    if (!isCursorMoved(params)) {
      return log.warn(`${CURSOR_NOTIFICATION} must hold a URI, a line and a character; ignored.`);
    }
    const document = documents.get(params.uri);
    if (document === undefined) return;
    service.cursorMoved(requestAt(document, document.offsetAt(params), 'prepared', folders.uris));
  });

  connection.onNotification(ACCEPTANCE_NOTIFICATION, (params: unknown) => {
    if (!isAcceptance(params)) {
      return log.warn(`${ACCEPTANCE_NOTIFICATION} must hold a suggestion's id, or a URI and a text; ignored.`);
    }
    const place = acceptance.accepted(params);
    const document = place === null ? undefined : documents.get(place.uri);
    if (place === null || document === undefined) return;
    // The editor asks for the continuation soon, and then joins this request.
    void service.complete(requestAt(document, place.offset, 'prepared', folders.uris), new AbortController().signal);
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

function isAcceptance(params: unknown): params is Acceptance {
  if (!isRecord(params)) return false;
  if (params.kind === 'all') return Number.isSafeInteger(params.suggestionId);
  return params.kind === 'part' && isText(params.uri) && isText(params.text);
}
