import type { Connection } from 'vscode-languageserver';
import type { Logger } from 'vscode-languageserver/node';
import type { Log } from '../../util/log.js';

type Write = (message: string) => void;

/** Writes to the editor's log through `window/logMessage`, since stdout carries the protocol in stdio mode. */
export function createConnectionLog({ console }: Connection): Log {
  return { ...droppingLogger(console), debug: dropping((message) => console.debug(message)) };
}

/** For the connection's own messages, such as that an answer could not be sent. */
export function droppingLogger(logger: Logger): Logger {
  return {
    error: dropping((message) => logger.error(message)),
    warn: dropping((message) => logger.warn(message)),
    info: dropping((message) => logger.info(message)),
    log: dropping((message) => logger.log(message)),
  };
}

/**
 * The library throws on each line once the client is gone. They are dropped, since the server still releases what it
 * holds, and no line may stop that.
 */
function dropping(write: Write): Write {
  return (message) => {
    try {
      write(message);
    } catch {
      // The connection is closed.
    }
  };
}
