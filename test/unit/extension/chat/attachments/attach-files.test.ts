import { expect, it, vi } from 'vitest';
import { attachableFiles } from '../../../../../extension/src/chat/attachments/attachments.js';
import { fakeUser } from '../../../../support/editor/fake-editor.js';

vi.mock('vscode', async () => (await import('../../../../support/editor/fake-editor.js')).vscode);

it('of very many dropped files the first ones are read, and one message says of all what is wrong with them', async () => {
  fakeUser.open();
  const files = Array.from({ length: 500 }, (_, index) => `file:///gone${index}.ts`);
  expect(await attachableFiles(files)).toEqual([]);
  const [most = '', wrong = '', ...others] = fakeUser.notifications;
  expect(most).toContain('at most 20 files at once');
  expect(wrong).toMatch(/gone0\.ts cannot be read as text\..*gone19\.ts cannot be read as text\./);
  expect([wrong.includes('gone20'), others]).toEqual([false, []]);
});
