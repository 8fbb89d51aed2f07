import { writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { FileAdmission } from '../../../../../server/src/context/admission/file-admission.js';
import { DiskFiles } from '../../../../../server/src/context/files/disk-files.js';
import { FileIndex } from '../../../../../server/src/context/files/file-index.js';
import { pathFromFileSystem } from '../../../../../server/src/context/files/file-location.js';
import { TemporaryFolder } from '../../../../support/temporary-folder.js';
import { SILENT } from '../../scripted-engine.js';

let folder: TemporaryFolder;

beforeEach(() => {
  folder = new TemporaryFolder();
});

afterEach(() => folder.dispose());

it('a file that the settings exclude while it is read is not kept', async () => {
  writeFileSync(folder.file('a.ts'), 'export const a = 1;\n');
  const file = pathFromFileSystem(folder.file('a.ts'));
  const index = new FileIndex();
  const admission = new FileAdmission(SILENT);
  const facts = { folderUris: [pathToFileURL(folder.path).href], trusted: true };
  admission.update({ ...facts, exclude: [] });
  const disk = new DiskFiles(index, admission, () => false);
  await disk.readFiles([file], 'typescript', async () => undefined);
  expect(index.get(file)).not.toBeNull();

  // How often a file that is read gives way to other work.
  let turns = 0;
  index.clear();
  disk.clear();
  await disk.readFiles([file], 'typescript', async () => {
    turns++;
  });
  expect(turns).toBeGreaterThan(2);
  for (let at = 1; at <= turns; at++) {
    admission.update({ ...facts, exclude: [] });
    index.clear();
    disk.clear();
    let turn = 0;
    await disk.readFiles([file], 'typescript', async () => {
      if (++turn !== at) return;
      admission.update({ ...facts, exclude: ['a.ts'] });
      index.clear();
      disk.clear();
    });
    expect(turn, `in turn ${at}`).toBeGreaterThanOrEqual(1);
    expect(index.get(file), `in turn ${at}`).toBeNull();
  }
});
