import type { Connection } from 'vscode-languageserver';
import {
  FREE_CACHES_REQUEST,
  type FreedMemory,
  LOAD_NOTIFICATION,
  MEMORY_SAMPLE_NOTIFICATION,
  UNLOAD_REQUEST,
  UNWATCH_MEMORY_NOTIFICATION,
  WATCH_MEMORY_REQUEST,
} from '../../../protocol/index.js';
import type { EngineLifecycle } from '../../engine/lifecycle/engine-lifecycle.js';
import type { MemoryMonitor } from '../../memory/memory-monitor.js';
import type { Log } from '../../util/log.js';
import { notifyClient } from '../connection/notify-client.js';

/** The user's commands about memory, and samples of it while a client watches. */
export function handleMemory(
  connection: Connection,
  engines: readonly EngineLifecycle[],
  monitor: MemoryMonitor,
  load: () => Promise<void>,
  log: Log,
): void {
  connection.onRequest(WATCH_MEMORY_REQUEST, () => monitor.watch());
  connection.onNotification(UNWATCH_MEMORY_NOTIFICATION, () => monitor.unwatch());
  monitor.onDidSample((sample) => {
    void notifyClient(connection, MEMORY_SAMPLE_NOTIFICATION, sample, log);
  });
  connection.onRequest(FREE_CACHES_REQUEST, () => measured(monitor, () => monitor.freeCaches()));
  connection.onRequest(UNLOAD_REQUEST, () =>
    measured(monitor, async () => {
      // A remote server frees nothing here, and would give no suggestions until the user asks for one.
      const local = engines.filter(({ wanted }) => wanted?.remote === undefined);
      await Promise.all(local.map((engine) => engine.unload('user')));
    }),
  );
  connection.onNotification(LOAD_NOTIFICATION, load);
}

async function measured(monitor: Pick<MemoryMonitor, 'current'>, give: () => Promise<void>): Promise<FreedMemory> {
  const { inUseBytes: beforeBytes } = monitor.current;
  await give();
  const { inUseBytes: afterBytes, keptBytes } = monitor.current;
  return { beforeBytes, afterBytes, keptBytes };
}
