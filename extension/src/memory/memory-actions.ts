import {
  FREE_CACHES_REQUEST,
  type FreedMemory,
  formatFileSize,
  LOAD_NOTIFICATION,
  t,
  UNLOAD_REQUEST,
} from '../../../server/protocol/index.js';
import { showNotice } from '../texts/notify.js';

/** The part of a session that these functions need. */
export interface ServerAccess {
  start(): void;
  notify(method: string, parameters?: object): void;
  request<T>(method: string): Promise<T | null>;
}

export async function freeCaches(server: ServerAccess): Promise<void> {
  report(await server.request<FreedMemory>(FREE_CACHES_REQUEST));
}

export async function unloadModel(server: ServerAccess): Promise<void> {
  report(await server.request<FreedMemory>(UNLOAD_REQUEST));
}

/** A server that does not run loads the model when it starts. */
export function loadModel(server: ServerAccess): void {
  server.start();
  server.notify(LOAD_NOTIFICATION, {});
}

function report(freed: FreedMemory | null): void {
  if (freed === null) {
    showNotice(t('The language server is not running.'));
    return;
  }
  const { beforeBytes, afterBytes, keptBytes } = freed;
  const sizes = [Math.max(0, beforeBytes - afterBytes), afterBytes].map(formatFileSize);
  showNotice(
    keptBytes === 0
      ? t('freed {0}, uses {1}.', ...sizes)
      : t('freed {0}, uses {1}, of which {2} serve other windows.', ...sizes, formatFileSize(keptBytes)),
  );
}
