import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { selectModel } from '../../../../extension/src/download/repository.js';
import { TestDownloads } from '../../../support/hosts/test-downloads.js';

const REFERENCE = { kind: 'repository', repository: 'owner/repo', revision: 'main', file: null } as const;
const PARTS = ['big-Q4-00001-of-00003.gguf', 'big-Q4-00002-of-00003.gguf', 'big-Q4-00003-of-00003.gguf'];
const never = new AbortController().signal;
const pathOf = (name = '') => `/owner/repo/resolve/main/${name}`;

const test = TestDownloads.forEachTest();

it('is judged once its first file is here, which may hold little more than the header', async () => {
  const { server, folder } = test();
  const sizes = [1_000, 2_000, 500];
  const files = PARTS.map((name, index) => [name, randomBytes(sizes[index] ?? 0)] as const);
  server.addRepository('owner/repo', Object.fromEntries(files));
  server.trouble(pathOf(PARTS[1]), { kind: 'stall', after: 100 });
  const inspected: unknown[] = [];
  const downloads = test().open({
    inspect: async (file, otherBytes) => {
      inspected.push([path.basename(file), otherBytes]);
      return 'The model is too large';
    },
  });
  const model = selectModel((await downloads.modelsOf(REFERENCE, never)) ?? [], 'Q4');
  if (model === null) throw new Error('there is no model');
  const download = await downloads.prepare(downloads.planForModel(REFERENCE, model, 'Big'), '');
  expect(await download.start()).toMatchObject({ kind: 'failed', error: { kind: 'unusable' } });
  expect(inspected).toEqual([[`${PARTS[0]}.part`, 2_500]]);
  expect(server.requestsFor(pathOf(PARTS[2]))).toEqual([]);
  expect(readdirSync(folder.file('owner--repo'))).toEqual([]);
});
