import { expect, it } from 'vitest';
import { DownloadError } from '../../../../extension/src/download/download-error.js';
import { HttpClient } from '../../../../extension/src/download/http-client.js';

const HUB = 'https://huggingface.co';

// As Hugging Face answers, by `hf_raise_for_status` of huggingface_hub.
it.each([
  ['a repository that it does not have', { 'x-error-code': 'RepoNotFound' }, 'hidden', 'has no such repository, or'],
  ['the same without a code', {}, 'hidden', 'has no such repository, or'],
  ['a gated model', { 'x-error-code': 'GatedRepo' }, 'conditions', 'restricts access to this model (401)'],
  [
    'a token that is no longer valid',
    { 'x-error-message': 'Invalid credentials in Authorization header' },
    'token',
    'does not accept the stored access token (401)',
  ],
])('says what a host means that answers 401 for %s', async (_name, headers, access, message) => {
  const client = new HttpClient({
    ...{ tokenOrigin: HUB, token: async () => null, stallMs: 60_000 },
    fetch: async () => new Response('', { status: 401, headers: { ...headers } }),
  });
  const url = `${HUB}/api/models/owner/repo/tree/main`;
  const refused = client.get({ url, signal: new AbortController().signal });
  await expect(refused).rejects.toMatchObject({ kind: 'unauthorized', access });
  await expect(refused).rejects.toBeInstanceOf(DownloadError);
  await expect(refused).rejects.toThrow(message);
});
