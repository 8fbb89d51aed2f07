import { expect, it, vi } from 'vitest';
import type { Attachment } from '../../../../../extension/src/chat/conversation/conversation.js';
import { CodeBlocks } from '../../../../../extension/src/chat/panel/code-blocks.js';
import { FakeDocument, fakeUser } from '../../../../support/editor/fake-editor.js';

vi.mock('vscode', async () => (await import('../../../../support/editor/fake-editor.js')).vscode);

const SHOWN: Attachment = { id: 'a', kind: 'file', label: 'a.ts', uri: 'file:///a.ts', languageId: '', text: '' };
const TEXT = 'function one() {\n  return 1;\n}\n\nfunction two() {\n  return 2;\n}\n';

it.each([
  ['is applied', false],
  ['is not applied to a document that changes while it is shown', true],
])('a proposed change %s', async (_name, changes) => {
  const document = new FakeDocument('/a.ts', TEXT);
  const [editor] = fakeUser.open(document);
  const blocks = new CodeBlocks();
  blocks.register();
  expect(await blocks.run('apply', 'function one() {\n  return 3;\n}\n', 'ts', [SHOWN])).toBeNull();
  expect(fakeUser.compared).toHaveLength(1);
  fakeUser.whileShown = () => {
    if (changes) document.version += 1;
  };
  await fakeUser.run('inkling.applyProposal');
  expect(editor?.undoSteps).toHaveLength(changes ? 0 : 1);
  expect(document.text).toBe(changes ? TEXT : TEXT.replace('1', '3'));
  expect(fakeUser.notifications.map((text) => text.includes('has changed'))).toEqual(changes ? [true] : []);
});
