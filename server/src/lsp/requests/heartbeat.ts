import type { Connection } from 'vscode-languageserver';
import { HEARTBEAT_REQUEST } from '../../../protocol/index.js';

/** The answer shows that the loop turns; it says nothing. */
export function handleHeartbeat(connection: Connection): void {
  connection.onRequest(HEARTBEAT_REQUEST, () => null);
}
