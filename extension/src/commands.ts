import { commands, Disposable, ViewColumn, window, workspace } from 'vscode';
import { t } from '../../server/protocol/index.js';
import { INKLING_COMMANDS, INTERNAL_COMMANDS } from './command-ids.js';

export interface CommandHandlers {
  openWalkthrough(): Promise<void>;
  openExample(): Promise<void>;
  restart(): Promise<void>;
  toggle(): Promise<void>;
  showLog(): void;
  pickModel(): Promise<void>;
  getChatModel(): Promise<void>;
  useOneModel(): Promise<void>;
  useStarter(): Promise<void>;
  snooze(): Promise<void>;
  showMemory(): void;
  freeCaches(): Promise<void>;
  unload(): Promise<void>;
  load(): void;
  useRemote(): Promise<void>;
  setRemoteKey(): Promise<void>;
  /** Markdown that explains the last suggestions; null if no server answers. */
  explainDecisions(): Promise<string | null>;
  /** Markdown; null if no server answers. */
  describeStatistics(): Promise<string | null>;
}

/**
 * The commands of the palette, the status bar and the panel. inline-completion.ts registers the commands of
 * suggestions.
 */
export function registerCommands(handlers: CommandHandlers): Disposable {
  return Disposable.from(
    commands.registerCommand(INKLING_COMMANDS.openWalkthrough, () => handlers.openWalkthrough()),
    commands.registerCommand(INTERNAL_COMMANDS.openExample, () => handlers.openExample()),
    commands.registerCommand(INKLING_COMMANDS.restart, () => handlers.restart()),
    commands.registerCommand(INKLING_COMMANDS.toggle, () => handlers.toggle()),
    commands.registerCommand(INKLING_COMMANDS.showLog, () => handlers.showLog()),
    commands.registerCommand(INKLING_COMMANDS.pickModel, () => handlers.pickModel()),
    commands.registerCommand(INTERNAL_COMMANDS.getChatModel, () => handlers.getChatModel()),
    commands.registerCommand(INKLING_COMMANDS.useOneModel, () => handlers.useOneModel()),
    commands.registerCommand(INTERNAL_COMMANDS.useStarter, () => handlers.useStarter()),
    commands.registerCommand(INKLING_COMMANDS.snooze, () => handlers.snooze()),
    commands.registerCommand(INKLING_COMMANDS.showMemory, () => handlers.showMemory()),
    commands.registerCommand(INKLING_COMMANDS.freeCaches, () => handlers.freeCaches()),
    commands.registerCommand(INKLING_COMMANDS.unload, () => handlers.unload()),
    commands.registerCommand(INKLING_COMMANDS.load, () => handlers.load()),
    commands.registerCommand(INKLING_COMMANDS.useRemote, () => handlers.useRemote()),
    commands.registerCommand(INKLING_COMMANDS.setRemoteKey, () => handlers.setRemoteKey()),
    commands.registerCommand(INKLING_COMMANDS.whyNoSuggestion, async () =>
      showReport(await handlers.explainDecisions()),
    ),
    commands.registerCommand(INKLING_COMMANDS.showStatistics, async () =>
      showReport(await handlers.describeStatistics()),
    ),
  );
}

/** Opens an editor beside the user's. */
async function showReport(markdown: string | null): Promise<void> {
  const content =
    markdown ?? `# Inkling\n\n${t('The language server is not running. The status bar shows the reason.')}\n`;
  const document = await workspace.openTextDocument({ language: 'markdown', content });
  await window.showTextDocument(document, { preview: true, preserveFocus: true, viewColumn: ViewColumn.Beside });
}
