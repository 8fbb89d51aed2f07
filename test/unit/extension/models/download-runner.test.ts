import { expect, it, vi } from 'vitest';
import type { SecretStorage } from 'vscode';
import { DownloadError } from '../../../../extension/src/download/download-error.js';
import { Downloads } from '../../../../extension/src/download/downloads.js';
import { HttpClient } from '../../../../extension/src/download/http-client.js';
import type { ModelDownload } from '../../../../extension/src/download/model-download.js';
import { AccessToken } from '../../../../extension/src/models/access-token.js';
import { DownloadRunner } from '../../../../extension/src/models/download-runner.js';
import { fakeUser } from '../../../support/editor/fake-editor.js';

vi.mock('vscode', async () => (await import('../../../support/editor/fake-editor.js')).vscode);

const HUB = 'https://huggingface.co';
const MIRROR = 'https://mirror.example/hub';

/** What a host says that wants a token. */
async function refusalOf(url: string, tokenOrigin: string): Promise<DownloadError> {
  const client = new HttpClient({
    ...{ tokenOrigin, token: async () => null, stallMs: 60_000 },
    fetch: async () => new Response('', { status: 401 }),
  });
  const thrown: unknown = await client.get({ url, signal: new AbortController().signal }).catch((error) => error);
  if (!(thrown instanceof DownloadError)) throw new Error('it refuses nothing');
  return thrown;
}

/** @param stored what VS Code's secret storage holds */
function runnerWith(stored: Map<string, string>, secrets: Partial<SecretStorage> = {}): DownloadRunner {
  const storage = {
    get: async (key: string) => stored.get(key),
    store: async (key: string, value: string) => void stored.set(key, value),
    delete: async (key: string) => void stored.delete(key),
    ...secrets,
  };
  return new DownloadRunner({
    downloads: new Downloads({
      ...{ store: '/store', repositoryUrl: () => MIRROR, token: async () => null, inspect: async () => null },
    }),
    token: new AccessToken(storage as unknown as SecretStorage, () => undefined),
    ...{ repositoryUrl: () => MIRROR, modelPath: () => '', remoteUrl: () => '' },
    ...{ use: async () => undefined, useForChat: async () => true, rememberRate: () => undefined },
    ...{ orTell: (run) => run(), log: () => undefined },
  });
}

it.each([
  ['the host that wants it, not to one that was set meanwhile', `${HUB}/a/b/resolve/main/c.gguf`, HUB],
  ['the mirror that is set, where that wants it', `${MIRROR}/a/b/resolve/main/c.gguf`, 'https://mirror.example'],
])('a token is asked for and stored for %s', async (_name, url, origin) => {
  const error = await refusalOf(url, origin);
  expect(error.kind).toBe('unauthorized');
  fakeUser.open();
  fakeUser.input = 'hf_secret';
  fakeUser.button = 'Enter Token';
  const stored = new Map<string, string>();
  const runner = runnerWith(stored);
  expect(await runner.askForAccess('a/b', error)).toBe(true);
  expect([...stored]).toEqual([[`inkling.repositoryToken ${origin}`, 'hf_secret']]);
  runner.dispose();
});

it.each([
  ['conditions', 'Accept the conditions', ['Enter Token', 'Open Model Page']],
  ['hidden', 'Check the name, or enter an access token', ['Enter Token']],
  ['token', 'Enter another one, or delete it', ['Enter Token']],
] as const)('says what helps where the problem is %s', async (access, message, buttons) => {
  fakeUser.open();
  const runner = runnerWith(new Map());
  await runner.askForAccess('a/b', new DownloadError('unauthorized', 'No.', { origin: HUB, access }));
  expect(fakeUser.notifications).toEqual([expect.stringContaining(message)]);
  expect(fakeUser.buttons).toEqual([buttons]);
  runner.dispose();
});

it.each([
  ['tries again without a token that is deleted', [[`inkling.repositoryToken ${HUB}`, 'hf_old']], true],
  ['gives up where there is none to delete', [], false],
] as const)('%s', async (_name, before, isWorthTrying) => {
  fakeUser.open();
  fakeUser.input = '';
  fakeUser.button = 'Enter Token';
  const stored = new Map(before);
  const runner = runnerWith(stored);
  const error = new DownloadError('unauthorized', 'No.', { origin: HUB, access: 'token' });
  expect(await runner.askForAccess('a/b', error)).toBe(isWorthTrying);
  expect(stored.size).toBe(0);
  runner.dispose();
});

it.each([
  ['says so where the user asks for it again', true, 1],
  ['says nothing where nobody has asked', false, 0],
] as const)('a download that runs %s', async (_name, isAsked, notices) => {
  fakeUser.open();
  const runner = runnerWith(new Map());
  let starts = 0;
  const running: Pick<ModelDownload, 'record' | 'state' | 'modelPath' | 'onDidChange' | 'start'> = {
    modelPath: '/store/a.gguf',
    record: {
      label: 'Coder',
      ...{ version: 1, repository: null, files: [], state: 'running', modelPathBefore: '', use: 'chat' },
    },
    state: { kind: 'idle', receivedBytes: 0, totalBytes: null },
    onDidChange: () => ({ dispose: () => undefined }),
    start: () => {
      starts += 1;
      return new Promise(() => undefined);
    },
  };
  void runner.run(running as ModelDownload, false);
  await runner.run(running as ModelDownload, isAsked);
  expect(starts).toBe(1);
  expect(fakeUser.notices).toEqual(Array.from({ length: notices }, () => expect.stringContaining('Coder is being')));
  runner.dispose();
});

it('shows no download any longer that has failed at its end, and runs it again', async () => {
  fakeUser.open();
  const runner = runnerWith(new Map());
  let starts = 0;
  const failing: unknown = {
    modelPath: '/store/coder.gguf',
    record: {
      label: 'Coder',
      ...{ version: 1, repository: null, files: [], state: 'running', modelPathBefore: '', use: 'chat' },
    },
    state: { kind: 'idle', receivedBytes: 0, totalBytes: null },
    onDidChange: () => ({ dispose: () => undefined }),
    start: async () => {
      starts += 1;
      throw new Error('the lock cannot be deleted');
    },
  };
  for (let attempt = 0; attempt < 2; attempt++) {
    await expect(runner.run(failing as ModelDownload)).rejects.toThrow('lock');
  }
  expect([starts, fakeUser.notices]).toEqual([2, []]);
  runner.dispose();
});

it('takes over what a window left running that was closed, once', async () => {
  vi.useFakeTimers();
  try {
    fakeUser.open();
    const runner = runnerWith(new Map());
    const left = { record: { label: 'Coder' }, start: () => new Promise(() => undefined) };
    const leftRunning = vi
      .spyOn(Downloads.prototype, 'leftRunning')
      .mockResolvedValue([left as unknown as ModelDownload]);
    const run = vi.spyOn(runner, 'run').mockResolvedValue();
    fakeUser.focusWindow();
    fakeUser.focusWindow();
    expect(leftRunning).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(leftRunning).toHaveBeenCalledTimes(1);
    expect(run.mock.calls).toEqual([[left, false]]);
    runner.dispose();
    fakeUser.focusWindow();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(leftRunning).toHaveBeenCalledTimes(1);
  } finally {
    vi.restoreAllMocks();
    vi.useRealTimers();
  }
});
