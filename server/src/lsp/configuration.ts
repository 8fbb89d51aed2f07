import type { Connection } from 'vscode-languageserver';
import { DEFAULT_SETTINGS, isRecord } from '../../protocol/index.js';
import type { SettingsStore } from '../settings/settings-store.js';

/**
 * `workspace/didChangeConfiguration`: the client sends the whole settings object (protocol/settings.ts), or has it in a
 * section `inkling`. What names no setting changes none: Emacs with Eglot sends every server the settings of all servers,
 * and an empty object without any. A client that wants to be asked sends null.
 */
export function handleConfiguration(connection: Connection, settings: SettingsStore): void {
  connection.onDidChangeConfiguration((params: unknown) => {
    const given = isRecord(params) && isRecord(params.settings) ? params.settings : {};
    const own = isRecord(given.inkling) ? given.inkling : given;
    if (Object.keys(own).some((name) => Object.hasOwn(DEFAULT_SETTINGS, name))) settings.update(own);
  });
}
