import { expect, it } from 'vitest';
import { FolderNames } from '../../../../../server/src/context/files/folder-names.js';

const FOLDERS: Readonly<Record<string, readonly string[] | null>> = {
  '/w/src/app': ['main.ts', 'Café'],
  '/w/src': ['app'],
  '/w': null,
};

it('a folder above the file is listed once, and decides by its names', async () => {
  const listed: string[] = [];
  const list = async (folder: string) => {
    listed.push(folder);
    return FOLDERS[folder] ?? null;
  };
  const names = new FolderNames(list, '/w/src/app/main.ts', '/w');
  const held = async (...targets: readonly string[]) => Promise.all(targets.map((target) => names.mayHold(target)));
  expect(await held('/w/src/app/main.ts', '/w/src/app/other.ts', '/w/src/app/main.ts/a/b')).toEqual([
    true,
    false,
    true,
  ]);
  expect(await held('/w/src/app/', '/w/src/lib/', '/w/src/lib/a.ts')).toEqual([true, false, false]);
  // Some file systems take them for one.
  expect(await held('/w/src/app/MAIN.ts', '/w/src/app/cafe\u0301/')).toEqual([true, true]);
  // Nobody knows all names of this folder, or of those elsewhere.
  expect(await held('/w/lib/a.ts', '/other/a.ts', '/w/')).toEqual([true, true, true]);
  expect(listed).toEqual(['/w/src/app', '/w/src', '/w']);
});
