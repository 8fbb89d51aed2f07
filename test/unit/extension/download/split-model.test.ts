import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Downloads } from '../../../../extension/src/download/downloads.js';
import { selectModel } from '../../../../extension/src/download/repository.js';
import { ModelServer } from '../../../support/hosts/model-server.js';
import { TemporaryFolder } from '../../../support/temporary-folder.js';

const REFERENCE = { kind: 'repository', repository: 'owner/repo', revision: 'main', file: null } as const;
const PARTS = ['big-Q4-00001-of-00003.gguf', 'big-Q4-00002-of-00003.gguf', 'big-Q4-00003-of-00003.gguf'];
const never = new AbortController().signal;
const pathOf = (name = '') => `/owner/repo/resolve/main/${name}`;

let server: ModelServer;
let folder: TemporaryFolder;

beforeEach(async () => {
  server = await ModelServer.start();
  folder = new TemporaryFolder();
});
afterEach(async () => {
  await server.stop();
  folder.dispose();
});

it('is judged once its first file is here, which may hold little more than the header', async () => {
  const sizes = [1_000, 2_000, 500];
  const files = PARTS.map((name, index) => [name, randomBytes(sizes[index] ?? 0)] as const);
  server.addRepository('owner/repo', Object.fromEntries(files));
  server.trouble(pathOf(PARTS[1]), { kind: 'stall', after: 100 });
  const inspected: unknown[] = [];
  const downloads = new Downloads({
    ...{ store: folder.path, repositoryUrl: () => server.url, token: async () => null },
    ...{ stallMs: 60_000, retryDelaysMs: [1, 1], reservedBytes: 0 },
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
