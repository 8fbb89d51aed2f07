import { window } from 'vscode';
import {
  FREE_CACHES_REQUEST,
  type FreedMemory,
  LOAD_NOTIFICATION,
  t,
  UNLOAD_REQUEST,
} from '../../../server/protocol/index.js';
import { formatFileSize } from '../format-quantity.js';

/** How long the status bar shows what was freed. */
const NOTICE_MS = 6_000;

/** The part of a session that these functions need. */
export interface ServerAccess {
  start(): void;
  notify(method: string, parameters?: object): void;
  request<T>(method: string): Promise<T | undefined>;
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

function report(freed: FreedMemory | undefined): void {
  if (freed === undefined) {
    window.setStatusBarMessage(`$(info) Inkling: ${t('The server is not running.')}`, NOTICE_MS);
    return;
  }
  const bytes = Math.max(0, freed.beforeBytes - freed.afterBytes);
  const sentence = t('gave back {0}, uses {1}.', formatFileSize(bytes), formatFileSize(freed.afterBytes));
  window.setStatusBarMessage(`$(info) Inkling: ${sentence}`, NOTICE_MS);
}
