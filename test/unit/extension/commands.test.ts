import { expect, it, vi } from 'vitest';
import { type CommandHandlers, registerCommands } from '../../../extension/src/commands.js';
import { runOrTell } from '../../../extension/src/models/run-or-tell.js';
import { fakeUser } from '../../support/editor/fake-editor.js';

vi.mock('vscode', async () => (await import('../../support/editor/fake-editor.js')).vscode);

it('a command that fails says so, wherever it was chosen: VS Code says nothing of a link', async () => {
  fakeUser.open();
  const told: string[] = [];
  const unsaved = () => Promise.reject(new Error('The file of the settings has unsaved changes.'));
  // As VS Code rejects what its user has given up, such as by closing the window.
  const cancelled = () => Promise.reject(Object.assign(new Error('Canceled'), { name: 'Canceled' }));
  const handlers: Partial<CommandHandlers> = {
    toggle: unsaved,
    restart: cancelled,
    showMenu: async (origin) => void told.push(String(origin)),
  };
  const orTell = runOrTell((sentence) => void told.push(sentence));
  registerCommands(handlers as CommandHandlers, orTell);
  await fakeUser.run('inkling.toggle');
  await fakeUser.run('inkling.restart');
  await fakeUser.run('inkling.showMenu', 'click');
  expect(told).toEqual(['That did not work: The file of the settings has unsaved changes.', 'click']);
});
