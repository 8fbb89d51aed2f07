import type { Connection } from 'vscode-languageserver';
import {
  ACCEPTANCE_NOTIFICATION,
  ACCEPTED_COMMAND,
  type Acceptance,
  type AcceptedItem,
  isRecord,
  isText,
} from '../../../protocol/index.js';
import type { CompletionService } from '../../completion/completion-service.js';
import type { AcceptanceTracker } from '../../completion/feedback/acceptance.js';
import type { Log } from '../../util/log.js';
import type { OpenDocuments } from '../documents/documents.js';
import { requestAt } from '../documents/snapshot.js';
import type { WorkspaceFolders } from '../documents/workspace-folders.js';

/**
 * Handles accepted suggestions. Our extension reports one by a notification, any other client by the item's command, which
 * it sends back. The prompt after an accepted suggestion is prepared at once.
 */
export function handleAcceptance(
  connection: Connection,
  documents: OpenDocuments,
  folders: WorkspaceFolders,
  service: CompletionService,
  acceptance: AcceptanceTracker,
  log: Log,
): void {
  connection.onNotification(ACCEPTANCE_NOTIFICATION, (params: unknown) => {
    if (!isAcceptance(params)) {
      return log.warn(`${ACCEPTANCE_NOTIFICATION} must hold a suggestion's id, or a URI and a text; ignored.`);
    }
    acceptance.accepted(params);
  });

  connection.onExecuteCommand((params: unknown) => {
    const { command, arguments: given } = isRecord(params) ? params : {};
    const item: unknown = Array.isArray(given) ? given[0] : null;
    if (command !== ACCEPTED_COMMAND) log.warn(`Unknown command: ${String(command)}`);
    else if (isAcceptedItem(item)) acceptance.accepted({ kind: 'all', suggestionId: item.suggestionId });
    else log.warn(`${ACCEPTED_COMMAND} must have a suggestion's id as its argument; ignored.`);
    return null;
  });

  acceptance.onDidAccept(({ uri, offset }) => {
    const document = documents.get(uri);
    if (document === undefined) return;
    // The editor asks for the continuation soon, and then joins this request.
    void service.complete(requestAt(document, offset, 'prepared', folders.uris), new AbortController().signal);
  });
}

function isAcceptance(params: unknown): params is Acceptance {
  if (!isRecord(params)) return false;
  if (params.kind === 'all') return isAcceptedItem(params);
  return params.kind === 'part' && isText(params.uri) && isText(params.text);
}

function isAcceptedItem(value: unknown): value is AcceptedItem {
  return isRecord(value) && Number.isSafeInteger(value.suggestionId);
}
