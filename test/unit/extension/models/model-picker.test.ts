import { expect, it, vi } from 'vitest';
import type { ModelDownload } from '../../../../extension/src/download/model-download.js';
import { ModelPicker, type PickerOptions } from '../../../../extension/src/models/model-picker.js';
import { fakeUser } from '../../../support/editor/fake-editor.js';

vi.mock('vscode', async () => (await import('../../../support/editor/fake-editor.js')).vscode);

it('a row of a download that has ended since is answered by the list as it is now', async () => {
  fakeUser.open();
  const running = {
    ...{ modelPath: '/store/a.gguf', record: { label: 'Coder' }, isRunning: true },
    state: { kind: 'downloading', receivedBytes: 1, totalBytes: 2, bytesPerSecond: null },
  };
  let unfinished = [running as ModelDownload];
  const list = { memoryBytes: 8e9, offers: [], recommendedId: '', unfinishedFolders: [] };
  const options: Partial<PickerOptions> = {
    downloads: { store: '/store', unfinished: async () => unfinished } as unknown as PickerOptions['downloads'],
    ...{
      repositoryUrl: () => 'https://huggingface.co',
      modelPath: () => '',
      chatModelPath: () => '',
      remoteUrl: () => '',
    },
    request: async <T>() => list as T,
    orTell: (run) => run(),
  };
  const shown = new ModelPicker(options as PickerOptions).show();
  await expect.poll(() => fakeUser.quickPicks[0]?.items.length).toBeGreaterThan(0);
  expect(fakeUser.quickPicks[0]?.items.map(({ label }) => label)).toContainEqual(expect.stringContaining('Coder'));
  unfinished = [];
  fakeUser.quickPicks[0]?.choose('Coder');
  await expect.poll(() => fakeUser.quickPicks[1]?.items.length).toBeGreaterThan(0);
  expect(fakeUser.quickPicks[1]?.items.map(({ label }) => label)).not.toContainEqual(expect.stringContaining('Coder'));
  fakeUser.quickPicks[1]?.hide();
  await shown;
});
