import { commands, Disposable } from 'vscode';
import { INKLING_COMMANDS, INTERNAL_COMMANDS } from './manifest/command-ids.js';

export interface CommandHandlers {
  openWalkthrough(): Promise<void>;
  openExample(): Promise<void>;
  showMenu(origin: unknown): Promise<void>;
  restart(): Promise<void>;
  toggle(): Promise<void>;
  turnOnLanguage(): Promise<void>;
  turnOn(): Promise<void>;
  showLog(): void;
  pickModel(): Promise<void>;
  useOfferedChatModel(): Promise<void>;
  useOneModel(): Promise<void>;
  useStarter(): Promise<void>;
  snooze(): Promise<void>;
  showMemory(): void;
  freeCaches(): Promise<void>;
  unload(): Promise<void>;
  load(): void;
  useRemote(): Promise<void>;
  setRemoteKey(): Promise<void>;
  explainDecisions(): Promise<void>;
  describeStatistics(): Promise<void>;
}

/**
 * The commands of the palette, the status bar and the panel. inline-completion.ts registers the commands of
 * suggestions.
 */
export function registerCommands(handlers: CommandHandlers): Disposable {
  return Disposable.from(
    commands.registerCommand(INKLING_COMMANDS.openWalkthrough, () => handlers.openWalkthrough()),
    commands.registerCommand(INTERNAL_COMMANDS.openExample, () => handlers.openExample()),
    commands.registerCommand(INKLING_COMMANDS.showMenu, (origin: unknown) => handlers.showMenu(origin)),
    commands.registerCommand(INKLING_COMMANDS.restart, () => handlers.restart()),
    commands.registerCommand(INKLING_COMMANDS.toggle, () => handlers.toggle()),
    commands.registerCommand(INTERNAL_COMMANDS.turnOnLanguage, () => handlers.turnOnLanguage()),
    commands.registerCommand(INTERNAL_COMMANDS.turnOn, () => handlers.turnOn()),
    commands.registerCommand(INKLING_COMMANDS.showLog, () => handlers.showLog()),
    commands.registerCommand(INKLING_COMMANDS.pickModel, () => handlers.pickModel()),
    commands.registerCommand(INTERNAL_COMMANDS.useOfferedChatModel, () => handlers.useOfferedChatModel()),
    commands.registerCommand(INKLING_COMMANDS.useOneModel, () => handlers.useOneModel()),
    commands.registerCommand(INTERNAL_COMMANDS.useStarter, () => handlers.useStarter()),
    commands.registerCommand(INKLING_COMMANDS.snooze, () => handlers.snooze()),
    commands.registerCommand(INKLING_COMMANDS.showMemory, () => handlers.showMemory()),
    commands.registerCommand(INKLING_COMMANDS.freeCaches, () => handlers.freeCaches()),
    commands.registerCommand(INKLING_COMMANDS.unload, () => handlers.unload()),
    commands.registerCommand(INKLING_COMMANDS.load, () => handlers.load()),
    commands.registerCommand(INKLING_COMMANDS.useRemote, () => handlers.useRemote()),
    commands.registerCommand(INKLING_COMMANDS.setRemoteKey, () => handlers.setRemoteKey()),
    commands.registerCommand(INKLING_COMMANDS.whyNoSuggestion, () => handlers.explainDecisions()),
    commands.registerCommand(INKLING_COMMANDS.showStatistics, () => handlers.describeStatistics()),
  );
}
