import { commands, Disposable, Uri, window } from 'vscode';
import { INKLING_COMMANDS } from '../command-ids.js';
import { attachable, diagnostics } from './attachments.js';
import type { ChatController } from './chat-controller.js';
import type { ChatView } from './chat-view.js';
import type { Attachment, SlashCommand } from './conversation.js';

/** The chat's commands in the palette, the view's title, and the context menus of editors and the explorer. */
export function registerChatCommands(controller: ChatController, view: ChatView): Disposable {
  const ask = async (command: SlashCommand, more: readonly Attachment[] = []): Promise<void> => {
    const kind = window.activeTextEditor?.selection.isEmpty ? 'currentFile' : 'selection';
    const code = await attachable([{ kind }]);
    if (code.length === 0) return;
    await view.focus();
    await controller.askCommand(command, [...more, ...code]);
  };
  return Disposable.from(
    commands.registerCommand(INKLING_COMMANDS.openChat, () => view.focus()),
    commands.registerCommand(INKLING_COMMANDS.newConversation, async () => {
      controller.newConversation();
      await view.focus();
    }),
    commands.registerCommand(INKLING_COMMANDS.exportConversation, () => view.exportConversation()),
    commands.registerCommand(INKLING_COMMANDS.explain, () => ask('explain')),
    commands.registerCommand(INKLING_COMMANDS.fix, async () => {
      // Shows no message if the editor reports nothing.
      const reported = diagnostics(window.activeTextEditor);
      await ask('fix', typeof reported === 'string' ? [] : [reported]);
    }),
    commands.registerCommand(INKLING_COMMANDS.writeTests, () => ask('tests')),
    commands.registerCommand(INKLING_COMMANDS.writeDocumentation, () => ask('doc')),
    commands.registerCommand(INKLING_COMMANDS.attachSelection, async () => {
      if (await view.attach({ kind: 'selection' })) await view.focus();
    }),
    commands.registerCommand(INKLING_COMMANDS.attachFile, async (uri: unknown) => {
      const what =
        uri instanceof Uri ? ({ kind: 'file', uri: uri.toString() } as const) : ({ kind: 'currentFile' } as const);
      if (await view.attach(what)) await view.focus();
    }),
  );
}
