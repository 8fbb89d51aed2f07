import { expect, it, vi } from 'vitest';
import { settingsCommand } from '../../../../extension/src/editor/open-setting.js';

vi.mock('vscode', async () => (await import('../../../support/editor/fake-editor.js')).vscode);

it.each([
  [undefined, 'workbench.action.openSettings2'],
  ['ssh-remote', 'workbench.action.openRemoteSettings'],
])('a setting of the machine is shown where it counts, in a window of %s', (remoteName, command) => {
  expect(settingsCommand(remoteName)).toBe(command);
});
