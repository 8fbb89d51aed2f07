import { commands, Disposable } from 'vscode';
import { t } from '../../server/protocol/index.js';
import { INKLING_COMMANDS, INTERNAL_COMMANDS } from './manifest/command-ids.js';
import type { RunOrTell } from './models/run-or-tell.js';

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
  useOfferedChatModel(offerId: unknown): Promise<void>;
  useOneModel(): Promise<void>;
  useStarter(): Promise<void>;
  openDeviceSetting(): Promise<void>;
  openRemoteModelSetting(): Promise<void>;
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
 *
 * @param orTell VS Code tells nobody what failed behind a link of the status bar or the walkthrough, such as that settings
 * cannot be written while their file has unsaved changes
 */
export function registerCommands(handlers: CommandHandlers, orTell: RunOrTell): Disposable {
  const registerCommand = (command: string, run: (parameter: unknown) => Promise<void> | void): Disposable =>
    commands.registerCommand(command, (parameter: unknown) =>
      orTell(
        () => unlessCancelled(async () => run(parameter)),
        (reason) => t('That did not work: {0}', reason),
      ),
    );
  return Disposable.from(
    registerCommand(INKLING_COMMANDS.openWalkthrough, () => handlers.openWalkthrough()),
    registerCommand(INTERNAL_COMMANDS.openExample, () => handlers.openExample()),
    registerCommand(INKLING_COMMANDS.showMenu, (origin) => handlers.showMenu(origin)),
    registerCommand(INKLING_COMMANDS.restart, () => handlers.restart()),
    registerCommand(INKLING_COMMANDS.toggle, () => handlers.toggle()),
    registerCommand(INTERNAL_COMMANDS.turnOnLanguage, () => handlers.turnOnLanguage()),
    registerCommand(INTERNAL_COMMANDS.turnOn, () => handlers.turnOn()),
    registerCommand(INKLING_COMMANDS.showLog, () => handlers.showLog()),
    registerCommand(INKLING_COMMANDS.pickModel, () => handlers.pickModel()),
    registerCommand(INTERNAL_COMMANDS.useOfferedChatModel, (offerId) => handlers.useOfferedChatModel(offerId)),
    registerCommand(INKLING_COMMANDS.useOneModel, () => handlers.useOneModel()),
    registerCommand(INTERNAL_COMMANDS.useStarter, () => handlers.useStarter()),
    registerCommand(INTERNAL_COMMANDS.openDeviceSetting, () => handlers.openDeviceSetting()),
    registerCommand(INTERNAL_COMMANDS.openRemoteModelSetting, () => handlers.openRemoteModelSetting()),
    registerCommand(INKLING_COMMANDS.snooze, () => handlers.snooze()),
    registerCommand(INKLING_COMMANDS.showMemory, () => handlers.showMemory()),
    registerCommand(INKLING_COMMANDS.freeCaches, () => handlers.freeCaches()),
    registerCommand(INKLING_COMMANDS.unload, () => handlers.unload()),
    registerCommand(INKLING_COMMANDS.load, () => handlers.load()),
    registerCommand(INKLING_COMMANDS.useRemote, () => handlers.useRemote()),
    registerCommand(INKLING_COMMANDS.setRemoteKey, () => handlers.setRemoteKey()),
    registerCommand(INKLING_COMMANDS.whyNoSuggestion, () => handlers.explainDecisions()),
    registerCommand(INKLING_COMMANDS.showStatistics, () => handlers.describeStatistics()),
  );
}

/** The user need not hear of what they gave up. */
async function unlessCancelled(run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    if (!(error instanceof Error && error.name === 'Canceled')) throw error;
  }
}
