import { beforeEach, expect, it, vi } from 'vitest';
import { type FetcherOptions, ModelFetcher } from '../../../../extension/src/models/model-fetcher.js';
import { fakeUser } from '../../../support/editor/fake-editor.js';

vi.mock('vscode', async () => (await import('../../../support/editor/fake-editor.js')).vscode);

/** The repositories whose files were asked for. */
let asked: string[];

beforeEach(() => {
  fakeUser.open();
  asked = [];
});

function fetcher(invalidRepositoryUrl: string | null): ModelFetcher {
  const modelsOf = async ({ repository }: { repository: string }) => {
    asked.push(repository);
    return null;
  };
  const options: Partial<FetcherOptions> = {
    downloads: { modelsOf } as unknown as FetcherOptions['downloads'],
    repositoryUrl: () => 'https://huggingface.co',
    invalidRepositoryUrl: () => invalidRepositoryUrl,
    modelPath: () => '',
  };
  return new ModelFetcher(options as FetcherOptions);
}

const CODER = { kind: 'repository', repository: 'owner/coder', revision: 'main', file: null } as const;

it('asks no other host where the setting names none', async () => {
  await fetcher('mirror.example').fetch(CODER, null);
  await fetcher('mirror.example').fetchAtOnce(CODER, 'Coder', 'chat');
  const message = expect.stringContaining('inkling.model.repositoryUrl is "mirror.example". Enter an address');
  expect([asked, fakeUser.notifications]).toEqual([[], [message, message]]);
});

it('asks the host of the setting', async () => {
  await fetcher(null).fetch(CODER, null);
  expect([asked, fakeUser.notifications]).toEqual([['owner/coder'], []]);
});
