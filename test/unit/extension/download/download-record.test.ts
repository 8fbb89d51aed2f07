import { writeFileSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { readRecord } from '../../../../extension/src/download/download-record.js';
import { TemporaryFolder } from '../../../support/temporary-folder.js';

const folder = new TemporaryFolder();
afterAll(() => folder.dispose());

it.each([
  ['chat', 'chat'],
  ['suggestions', 'suggestions'],
  ['anything', 'suggestions'],
  // As earlier versions left it.
  [undefined, 'suggestions'],
])('remembers what the user wants a model for: %s', async (use, read) => {
  const file = { url: 'https://example.com/a.gguf', name: 'a.gguf', bytes: 1, sha256: null, validator: null };
  const record = { version: 1, label: 'a', repository: null, state: 'paused', modelPathBefore: '', files: [file], use };
  writeFileSync(folder.file('a.gguf.download.json'), JSON.stringify(record));
  expect(await readRecord(folder.file('a.gguf'))).toMatchObject({ label: 'a', use: read });
});
