import { beforeEach, expect, it, vi } from 'vitest';
import type { ModelDownload } from '../../../../extension/src/download/model-download.js';
import { ModelPicker, type PickerOptions } from '../../../../extension/src/models/model-picker.js';
import { fakeUser } from '../../../support/editor/fake-editor.js';

vi.mock('vscode', async () => (await import('../../../support/editor/fake-editor.js')).vscode);

let unfinished: readonly ModelDownload[];

beforeEach(() => {
  fakeUser.open();
  unfinished = [];
});

function picker(more: Partial<PickerOptions> = {}): ModelPicker {
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
    ...more,
  };
  return new ModelPicker(options as PickerOptions);
}

it('a path that is typed is offered as a file to use, whatever the list has', async () => {
  const used: string[] = [];
  const take = async (path: string) => {
    used.push(path);
    return null;
  };
  const use = { use: take } as unknown as PickerOptions['use'];
  const shown = picker({ use }).show();
  await expect.poll(() => fakeUser.quickPicks[0]?.items.length).toBeGreaterThan(0);
  fakeUser.quickPicks[0]?.type(' "/models/own.gguf"');
  const row = { label: '$(file) Use /models/own.gguf', alwaysShow: true };
  await expect.poll(() => fakeUser.quickPicks[0]?.items[0]).toMatchObject(row);
  fakeUser.quickPicks[0]?.choose('Use /models/own.gguf');
  await shown;
  expect(used).toEqual(['/models/own.gguf']);
});

it('Enter takes all that was typed, though the row has a part of it', async () => {
  const fetched: unknown[] = [];
  const fetch = async (reference: unknown) => void fetched.push(reference);
  const shown = picker({ fetcher: { fetch } as unknown as PickerOptions['fetcher'] }).show();
  await expect.poll(() => fakeUser.quickPicks[0]?.items.length).toBeGreaterThan(0);
  fakeUser.quickPicks[0]?.type('owner/coder-GGUF:Q8');
  const row = 'Download owner/coder-GGUF:Q8';
  await expect.poll(() => fakeUser.quickPicks[0]?.items[0]?.label).toContain(row);
  fakeUser.quickPicks[0]?.type('owner/coder-GGUF:Q8_0');
  fakeUser.quickPicks[0]?.choose(row);
  await shown;
  expect(fetched).toMatchObject([{ repository: 'owner/coder-GGUF', file: 'Q8_0' }]);
});

it('a row of a download that has ended since is answered by the list as it is now', async () => {
  const running = {
    ...{ modelPath: '/store/a.gguf', record: { label: 'Coder' }, isRunning: true },
    state: { kind: 'downloading', receivedBytes: 1, totalBytes: 2, bytesPerSecond: null },
  };
  unfinished = [running as ModelDownload];
  const shown = picker().show();
  await expect.poll(() => fakeUser.quickPicks[0]?.items.length).toBeGreaterThan(0);
  expect(fakeUser.quickPicks[0]?.items.map(({ label }) => label)).toContainEqual(expect.stringContaining('Coder'));
  unfinished = [];
  fakeUser.quickPicks[0]?.choose('Coder');
  await expect.poll(() => fakeUser.quickPicks[1]?.items.length).toBeGreaterThan(0);
  expect(fakeUser.quickPicks[1]?.items.map(({ label }) => label)).not.toContainEqual(expect.stringContaining('Coder'));
  fakeUser.quickPicks[1]?.hide();
  await shown;
});
