import type { Connection } from 'vscode-languageserver';
import type { Log } from '../util/log.js';

/** The server's log is the editor's, through `window/logMessage`: in stdio mode stdout carries the protocol. */
export function createConnectionLog(connection: Connection): Log {
  return {
    debug: (message) => connection.console.debug(message),
    info: (message) => connection.console.info(message),
    warn: (message) => connection.console.warn(message),
    error: (message) => connection.console.error(message),
  };
}
