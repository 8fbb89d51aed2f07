import { expect, it, vi } from 'vitest';
import type { SecretStorage } from 'vscode';
import { AccessToken } from '../../../../extension/src/models/access-token.js';

vi.mock('vscode', async () => (await import('../../../support/editor/fake-editor.js')).vscode);

it('is none where the secret storage fails, which the log says: a model that needs none can still be downloaded', async () => {
  const secrets = { get: () => Promise.reject(new Error('no keyring')) } as unknown as SecretStorage;
  const logged: string[] = [];
  const token = new AccessToken(secrets, (message) => logged.push(message));
  expect(await token.get('https://huggingface.co')).toBeNull();
  expect(logged).toEqual([expect.stringContaining('huggingface.co cannot be read: Error: no keyring')]);
});
