import { writeSync } from 'node:fs';
import { describeError } from '../../util/describe-error.js';
import type { Log } from '../../util/log.js';

const STANDARD_ERROR = 2;
/** The message to the editor waits in a queue, and this is enough to send it. */
const LAST_MESSAGE_MS = 50;

/**
 * An error that nobody caught leaves the server in a state that nobody foresaw, so it ends. Its stack is written first:
 * to standard error at once, and to the editor's log if that still works.
 */
export function endWithUncaughtErrors(log: Log, end: () => void): void {
  let ending = false;
  process.on('uncaughtException', (error: unknown, origin) => {
    if (ending) return;
    ending = true;
    const message = `The server ends after an ${origin}: ${describeError(error)}`;
    try {
      writeSync(STANDARD_ERROR, `${message}\n`);
      log.error(message);
    } finally {
      setTimeout(end, LAST_MESSAGE_MS);
    }
  });
}
