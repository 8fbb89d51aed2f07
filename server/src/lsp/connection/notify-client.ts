import type { Connection } from 'vscode-languageserver';
import type { Log } from '../../util/log.js';

/**
 * Sends a notification that nobody waits for. A client that is gone makes the connection throw, or reject later: the
 * server ends in order then, and no message may stop that.
 */
export async function notifyClient(connection: Connection, method: string, params: object, log: Log): Promise<void> {
  try {
    await connection.sendNotification(method, params);
  } catch (error) {
    log.debug(`${method} could not be sent: ${String(error)}`);
  }
}
