import type { Connection } from 'vscode-languageserver';
import { type InklingStatus, STATUS_NOTIFICATION, STATUS_REQUEST } from '../../../protocol/index.js';
import type { Log } from '../../util/log.js';
import { notifyClient } from '../connection/notify-client.js';

export interface StatusAnnouncements {
  /** A client accepts announcements only after it said that it is initialized. */
  start(): void;
  /** Announces the present status. Several changes in one turn make one message. */
  changed(): void;
}

/** Answers the status request and announces changes. */
export function handleStatus(connection: Connection, current: () => InklingStatus, log: Log): StatusAnnouncements {
  let started = false;
  let scheduled = false;
  const send = (): void => {
    scheduled = false;
    void notifyClient(connection, STATUS_NOTIFICATION, current(), log);
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
