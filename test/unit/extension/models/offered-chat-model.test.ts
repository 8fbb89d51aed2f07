import { beforeEach, expect, it, vi } from 'vitest';
import { useOfferedChatModel } from '../../../../extension/src/models/offered-chat-model.js';
import type { ChatCapabilities, ModelOffer } from '../../../../server/protocol/index.js';
import { fakeUser } from '../../../support/editor/fake-editor.js';

vi.mock('vscode', async () => (await import('../../../support/editor/fake-editor.js')).vscode);

const HERE = { id: '/talker.gguf', name: 'Talker', path: '/talker.gguf', download: null };
const DOWNLOAD = { id: 'catalogue:talker', name: 'Talker', path: null, download: { repository: 'r', file: 'f' } };
const CAN = { kind: 'canChat', modelName: 'Coder' } as ChatCapabilities;

beforeEach(() => fakeUser.open());

const cannot = (instead: object | null): ChatCapabilities => ({
  kind: 'cannotChat',
  refusal: { reason: 'noTemplate', message: 'It has no chat template.' },
  instead: instead as ModelOffer | null,
});

it.each([
  ['uses', HERE.id, cannot(HERE), '/talker.gguf', []],
  ['downloads', DOWNLOAD.id, cannot(DOWNLOAD), 'Talker', []],
  ['does not download another one than', HERE.id, cannot(DOWNLOAD), null, [/no longer fits, or is no longer here/]],
  ['says that nothing fits any more instead of', DOWNLOAD.id, cannot(null), null, [/no longer fits/]],
  ['says which model chats by now instead of', DOWNLOAD.id, CAN, null, [/^Coder answers in the chat now\.$/]],
  ['says that nobody knows', DOWNLOAD.id, null, null, [/server did not answer/]],
])('%s the model that was offered', async (_what, offerId, capabilities, used, told) => {
  const chosen: string[] = [];
  await useOfferedChatModel(offerId, {
    request: async <T>() => capabilities as T | null,
    store: '/models',
    use: async (path) => chosen.push(path),
    download: async ({ name }) => {
      chosen.push(name);
    },
  });
  expect(chosen).toEqual(used === null ? [] : [used]);
  expect(fakeUser.notifications).toEqual(told.map((each) => expect.stringMatching(each)));
});
