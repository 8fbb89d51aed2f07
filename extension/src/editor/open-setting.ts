import { commands, env } from 'vscode';
import { EDITOR_COMMANDS } from '../manifest/command-ids.js';

/** Shows a setting of this machine, such as `inkling.engine.device`, in VS Code's settings. */
export async function openMachineSetting(id: string): Promise<void> {
  await commands.executeCommand(settingsCommand(env.remoteName), { query: `@id:${id}` });
}

/** A window of another machine has the settings of that one apart: the user's own would show none. */
export function settingsCommand(remoteName: string | undefined): string {
  return remoteName === undefined ? EDITOR_COMMANDS.openSettings : EDITOR_COMMANDS.openRemoteSettings;
}
