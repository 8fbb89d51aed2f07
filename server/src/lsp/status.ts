import type { Connection } from 'vscode-languageserver';
import { type InklingStatus, STATUS_NOTIFICATION, STATUS_REQUEST } from '../../protocol/index.js';
import type { Disposable } from '../util/emitter.js';

type Changes = (listener: () => void) => Disposable;

/**
 * Answers the status request and announces changes; several changes in one turn send one message.
 *
 * @returns starts the announcements, which a client accepts only after its `initialized`
 */
export function handleStatus(
  connection: Connection,
  current: () => InklingStatus,
  changes: readonly Changes[],
): () => void {
  let scheduled = false;
  const send = (): void => {
    scheduled = false;
    connection.sendNotification(STATUS_NOTIFICATION, current()).catch((error: unknown) => {
      connection.console.debug(`The status could not be sent: ${String(error)}`);
    });
  };
  const schedule = (): void => {
    if (scheduled) return;
    scheduled = true;
    setImmediate(send);
  };
  connection.onRequest(STATUS_REQUEST, current);
  return () => {
    for (const onDidChange of changes) onDidChange(schedule);
    schedule();
  };
}
