import type { Connection } from 'vscode-languageserver';
import type { Log } from '../../util/log.js';

/** Writes to the editor's log through `window/logMessage`, since stdout carries the protocol in stdio mode. */
export function createConnectionLog(connection: Connection): Log {
  return {
    debug: (message) => connection.console.debug(message),
    info: (message) => connection.console.info(message),
    warn: (message) => connection.console.warn(message),
    error: (message) => connection.console.error(message),
  };
}
