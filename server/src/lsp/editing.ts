import type { Connection } from 'vscode-languageserver';
import {
  ACCEPTANCE_NOTIFICATION,
  type Acceptance,
  CURSOR_NOTIFICATION,
  type CursorMoved,
  EDIT_REASON_NOTIFICATION,
  type EditReason,
} from '../../protocol/index.js';
import type { CompletionService } from '../completion/completion-service.js';
import type { AcceptanceTracker } from '../completion/feedback/acceptance.js';
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
): void {
  connection.onNotification(EDIT_REASON_NOTIFICATION, ({ uri, version }: EditReason) => {
    service.documentUndone(uri, version);
  });

  connection.onNotification(CURSOR_NOTIFICATION, ({ uri, line, character }: CursorMoved) => {
    const document = documents.get(uri);
    if (document === undefined) return;
    const offset = document.offsetAt({ line, character });
    service.cursorMoved(requestAt(document, offset, 'prepared', folders.uris));
  });

  connection.onNotification(ACCEPTANCE_NOTIFICATION, (event: Acceptance) => {
    const place = acceptance.accepted(event);
    const document = place === null ? undefined : documents.get(place.uri);
    if (place === null || document === undefined) return;
    // The editor asks for the continuation soon, and then joins this request.
    void service.complete(requestAt(document, place.offset, 'prepared', folders.uris), new AbortController().signal);
  });
}
