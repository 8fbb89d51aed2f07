import { expect, it, vi } from 'vitest';
import type { ChatController } from '../../../../../extension/src/chat/answer/chat-controller.js';
import { emptyChat, type Turn } from '../../../../../extension/src/chat/conversation/conversation.js';
import { NO_PROJECT_TEXTS } from '../../../../../extension/src/chat/conversation/project-texts.js';
import { ChatView, type ChatViewParts } from '../../../../../extension/src/chat/panel/chat-view.js';
import type { CodeBlocks } from '../../../../../extension/src/chat/panel/code-blocks.js';
import { FakeDocument, fakeUser, vscode } from '../../../../support/editor/fake-editor.js';

vi.mock('vscode', async () => (await import('../../../../support/editor/fake-editor.js')).vscode);

const TURN: Turn = {
  id: 'turn',
  question: { text: 'Why?', command: null, attachments: [] },
  answer: { state: 'complete', text: 'So.', thinking: '', error: null, droppedTurns: 0, forgottenTokens: 0 },
};

it.each([
  ['says that there is nothing to export', [], ['This conversation is empty. There is nothing to export.']],
  ['opens a document', [TURN], []],
])('a conversation %s', async (_what, turns, told) => {
  fakeUser.open();
  let shown = 0;
  fakeUser.reopen = async () => new FakeDocument('/export.md', '');
  fakeUser.whileShown = () => {
    shown += 1;
  };
  const chat = emptyChat('id');
  const state = { ...chat, conversations: [{ id: 'id', turns }] };
  const controller = { state, capabilities: null, isRunning: false } as unknown as ChatController;
  const parts = { project: { texts: NO_PROJECT_TEXTS }, downloadRate: () => null } as unknown as ChatViewParts;
  const view = new ChatView(new vscode.Uri('file', '/') as never, () => controller, {} as CodeBlocks, parts);
  await view.exportConversation();
  expect(fakeUser.notifications).toEqual(told);
  expect(shown).toBe(turns.length);
});
