import { commands, Disposable } from 'vscode';
import { INKLING_COMMANDS } from './command-ids.js';

export interface CommandHandlers {
  restart(): Promise<void>;
  toggle(): Promise<void>;
  showLog(): void;
}

/** The commands of the palette. Those of a suggestion are registered where suggestions are: inline-completion.ts. */
export function registerCommands(handlers: CommandHandlers): Disposable {
  return Disposable.from(
    commands.registerCommand(INKLING_COMMANDS.restart, () => handlers.restart()),
    commands.registerCommand(INKLING_COMMANDS.toggle, () => handlers.toggle()),
    commands.registerCommand(INKLING_COMMANDS.showLog, () => handlers.showLog()),
  );
}
