import { writeSync } from 'node:fs';
import { describeError } from '../util/describe-error.js';
import type { Log } from '../util/log.js';

const STANDARD_ERROR = 2;

/**
 * An error that nobody caught leaves the server in a state that nobody foresaw, so it ends. Its stack is written first:
 * to standard error at once, and to the editor's log if that still works.
 */
export function endWithUncaughtErrors(log: Log, end: () => void): void {
  process.on('uncaughtException', (error: unknown, origin) => {
    const message = `The server ends after an ${origin}: ${describeError(error)}`;
    try {
      writeSync(STANDARD_ERROR, `${message}\n`);
      log.error(message);
    } finally {
      end();
    }
  });
}
