import path from 'node:path';
import { expect, it } from 'vitest';
import { readGgufHeader } from '../../../../server/src/models/gguf-header.js';
import { shownName } from '../../../../server/src/models/shown-name.js';
import { REPOSITORY_ROOT } from '../../../support/source-tree.js';

it('is a name for people where the model is the starter, whatever its file says', async () => {
  const starter = path.join(REPOSITORY_ROOT, 'media/model/inkling-seed-55m-Q4_K_M.gguf');
  expect(shownName((await readGgufHeader(starter)).name)).toBe('Inkling Starter');
});

it("is the file's own name for every other model", () => {
  expect(shownName('Qwen2.5 Coder 3B')).toBe('Qwen2.5 Coder 3B');
});
