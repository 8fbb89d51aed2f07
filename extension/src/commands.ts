import { commands, Disposable, env } from 'vscode';
import { EDITOR_COMMANDS, INKLING_COMMANDS, INTERNAL_COMMANDS } from './command-ids.js';
import { MODEL_PATH_SETTING } from './settings.js';

export interface CommandHandlers {
  restart(): Promise<void>;
  toggle(): Promise<void>;
  showLog(): void;
}

/** The commands of the palette, the status bar and the panel. Those of a suggestion are registered where suggestions are: inline-completion.ts. */
export function registerCommands(handlers: CommandHandlers): Disposable {
  return Disposable.from(
    commands.registerCommand(INKLING_COMMANDS.restart, () => handlers.restart()),
    commands.registerCommand(INKLING_COMMANDS.toggle, () => handlers.toggle()),
    commands.registerCommand(INKLING_COMMANDS.showLog, () => handlers.showLog()),
    commands.registerCommand(INTERNAL_COMMANDS.showModelSetting, showModelSetting),
  );
}

/** A machine-scoped setting belongs to the machine that the server runs on: on a remote one, its settings have it. */
async function showModelSetting(): Promise<void> {
  const command = env.remoteName === undefined ? EDITOR_COMMANDS.openSettings : EDITOR_COMMANDS.openRemoteSettings;
  await commands.executeCommand(command, { query: `@id:${MODEL_PATH_SETTING}` });
}
