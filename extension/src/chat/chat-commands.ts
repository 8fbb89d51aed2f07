import { commands, Disposable, Uri, window } from 'vscode';
import { INKLING_COMMANDS } from '../manifest/command-ids.js';
import type { ChatController } from './answer/chat-controller.js';
import type { MayAsk } from './answer/tell-refusal.js';
import { attachable, diagnostics } from './attachments/attachments.js';
import { codeKind } from './attachments/code-kind.js';
import type { Attachment, SlashCommand } from './conversation/conversation.js';
import type { ChatView } from './panel/chat-view.js';

/** The chat's commands in the palette, the view's title, and the context menus of editors and the explorer. */
export function registerChatCommands(controller: ChatController, view: ChatView, mayAsk: MayAsk): Disposable {
  const ask = async (command: SlashCommand, more: readonly Attachment[] = []): Promise<void> => {
    const code = await attachable([{ kind: codeKind(window.activeTextEditor?.selection) }]);
    if (code.length === 0 || !(await mayAsk())) return;
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
    // The explorer names the file below the pointer, and all that are selected with it.
    commands.registerCommand(INKLING_COMMANDS.attachFile, async (uri: unknown, selected: unknown) => {
      const files = addressesOf(uri, selected);
      const attached = files.length === 0 ? await view.attach({ kind: 'currentFile' }) : await view.attachFiles(files);
      if (attached) await view.focus();
    }),
  );
}

function addressesOf(uri: unknown, selected: unknown): readonly string[] {
  const uris = [uri, ...(Array.isArray(selected) ? selected : [])].filter((each) => each instanceof Uri);
  return [...new Set(uris.map(String))];
}
