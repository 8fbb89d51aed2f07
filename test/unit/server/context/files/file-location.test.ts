import { describe, expect, it } from 'vitest';
import { FileAdmission } from '../../../../../server/src/context/admission/file-admission.js';
import {
  fileSystemPath,
  locationOf,
  locationOfKey,
  pathFromFileSystem,
} from '../../../../../server/src/context/files/file-location.js';
import { SILENT } from '../../scripted-engine.js';

describe('the location of a document', () => {
  it.each([
    ['file:///work/a%20b.ts', '/work/a b.ts', '/work/a b.ts'],
    ['file:///C%3A/work/a.ts', '/c:/work/a.ts', 'c:/work/a.ts'],
    ['file:///c:/work/a.ts', '/c:/work/a.ts', 'c:/work/a.ts'],
  ])('of %s is the path %s, on the disk %s', (uri, path, onDisk) => {
    expect(locationOf(uri)).toEqual({ key: path, scheme: 'file', authority: '', path });
    expect(locationOfKey(path)).toEqual(locationOf(uri));
    expect(fileSystemPath(path)).toBe(onDisk);
    expect(pathFromFileSystem(onDisk.replaceAll('/', '\\'))).toBe(path);
  });

  it('is the address of what is on no disk of this machine', () => {
    const vfs = 'vscode-vfs://github/owner/a.ts';
    expect(locationOf(vfs)).toEqual({ key: vfs, scheme: 'vscode-vfs', authority: 'github', path: '/owner/a.ts' });
    expect(locationOf('untitled:Untitled-1').path).toBe('');
    const [first, second] = ['file://server/share/a.ts', 'file://other/share/a.ts'].map(locationOf);
    expect(first?.key).toBe('file://server/share/a.ts');
    expect(first?.key).not.toBe(second?.key);
    expect(locationOfKey(first?.key ?? '')).toEqual(first);
  });
});

it('globs of a workspace hide cells of its notebooks, wherever the workspace is', async () => {
  for (const [root, isReadyShown] of [
    ['file:///work', true],
    ['vsls:/work', true],
    // An address with an authority could be a share of a server.
    ['vscode-vfs://github/work', false],
    ['ssh://box/work', false],
  ] as const) {
    const admission = new FileAdmission(SILENT);
    admission.update({ folderUris: [root], trusted: true, exclude: ['drafts/**'] });
    const cells = ['drafts', 'ready'].map((name) => {
      const { authority, path } = locationOf(`${root}/${name}/book.ipynb`);
      return locationOf(`vscode-notebook-cell:${authority === '' ? '' : `//${authority}`}${path}#W0`);
    });
    expect(await Promise.all(cells.map((cell) => admission.admits(cell)))).toEqual([false, isReadyShown]);
  }
});

it('on a share of a server, no rules are looked for, so other prompts do not show the document', async () => {
  const admission = new FileAdmission(SILENT);
  admission.update({ folderUris: ['file://server/share', 'vscode-vfs://github/owner'], trusted: true, exclude: [] });
  const uris = ['file://server/share/a.ts', 'vscode-vfs://github/owner/a.ts', 'untitled:Untitled-1'];
  expect(await Promise.all(uris.map((uri) => admission.admits(locationOf(uri))))).toEqual([false, true, true]);
});
