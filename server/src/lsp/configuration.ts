import type { Connection } from 'vscode-languageserver';
import type { SettingsStore } from '../settings/settings-store.js';

/** `workspace/didChangeConfiguration`: the client sends the whole settings object (protocol/settings.ts). */
export function handleConfiguration(connection: Connection, settings: SettingsStore): void {
  connection.onDidChangeConfiguration((params) => settings.update(params.settings));
}
