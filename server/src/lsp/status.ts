import type { Connection } from 'vscode-languageserver';
import { type InklingStatus, STATUS_NOTIFICATION, STATUS_REQUEST } from '../../protocol/index.js';

export interface StatusAnnouncements {
  /** A client accepts announcements only after it said that it is initialized. */
  start(): void;
  /** Announces the present status. Several changes in one turn make one message. */
  changed(): void;
}

/** Answers the status request and announces changes. */
export function handleStatus(connection: Connection, current: () => InklingStatus): StatusAnnouncements {
  let started = false;
  let scheduled = false;
  const send = (): void => {
    scheduled = false;
    connection.sendNotification(STATUS_NOTIFICATION, current()).catch((error: unknown) => {
      connection.console.debug(`The status could not be sent: ${String(error)}`);
    });
  };
  const schedule = (): void => {
    if (!started || scheduled) return;
    scheduled = true;
    setImmediate(send);
  };
  connection.onRequest(STATUS_REQUEST, current);
  return {
    start: () => {
      started = true;
      schedule();
    },
    changed: schedule,
  };
}
