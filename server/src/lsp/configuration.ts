import type { Connection } from 'vscode-languageserver';
import { isRecord } from '../../protocol/index.js';
import type { SettingsStore } from '../settings/settings-store.js';

/**
 * `workspace/didChangeConfiguration`: the client sends the whole settings object (protocol/settings.ts). A client without
 * settings of its own, such as Eglot, sends null or an empty one: those of `initialize` stay.
 */
export function handleConfiguration(connection: Connection, settings: SettingsStore): void {
  connection.onDidChangeConfiguration((params: unknown) => {
    const given = isRecord(params) ? params.settings : null;
    const isEmpty = given === undefined || given === null || (isRecord(given) && Object.keys(given).length === 0);
    if (!isEmpty) settings.update(given);
  });
}
