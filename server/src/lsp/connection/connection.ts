import { type Connection, createConnection, ProposedFeatures } from 'vscode-languageserver';
import {
  createProtocolConnection,
  IPCMessageReader,
  IPCMessageWriter,
  type Logger,
  type ProtocolConnection,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver/node';
import { droppingLogger } from './connection-log.js';
import type { ServerLifetime } from './lifetime.js';

export type Transport = 'stdio' | 'node-ipc';

/** The connection to the client. The process ends with it. */
export function openConnection(transport: Transport, lifetime: ServerLifetime): Connection {
  const abandoned = (): void => lifetime.endAbandoned();
  process.on('SIGTERM', abandoned);
  process.on('SIGINT', abandoned);
  // Its terminal closes. By default Node ends at once, and a load that goes on would look like one that the model ended.
  process.on('SIGHUP', abandoned);

  const connect = (console: Logger): ProtocolConnection => {
    const logger = droppingLogger(console);
    switch (transport) {
      case 'stdio':
        process.stdin.on('end', abandoned);
        process.stdin.on('close', abandoned);
        // Writing to an ended client fails with EPIPE.
        process.stdout.on('error', abandoned);
        return createProtocolConnection(
          new StreamMessageReader(process.stdin),
          new StreamMessageWriter(process.stdout),
          logger,
        );
      case 'node-ipc':
        process.on('disconnect', abandoned);
        return createProtocolConnection(new IPCMessageReader(process), new IPCMessageWriter(process), logger);
    }
  };
  return createConnection(connect, lifetime, ProposedFeatures.all);
}
