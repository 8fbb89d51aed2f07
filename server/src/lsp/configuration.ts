import type { Connection } from 'vscode-languageserver';
import { DEFAULT_SETTINGS, isRecord } from '../../protocol/index.js';
import type { SettingsStore } from '../settings/settings-store.js';

/**
 * `workspace/didChangeConfiguration`: the client sends the whole settings object (protocol/settings.ts), or has it in a
 * section `inkling`. A message that names no setting of ours changes nothing: Emacs with Eglot sends every server the
 * settings of all servers, or an empty object. A client that wants to be asked for its settings sends null.
 */
export function handleConfiguration(connection: Connection, settings: SettingsStore): void {
  connection.onDidChangeConfiguration((params: unknown) => {
    const given = isRecord(params) && isRecord(params.settings) ? params.settings : {};
    const own = isRecord(given.inkling) ? given.inkling : given;
    if (Object.keys(own).some((name) => Object.hasOwn(DEFAULT_SETTINGS, name))) settings.update(own);
  });
}
