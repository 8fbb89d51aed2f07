import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FileAdmission } from '../../../../../server/src/context/admission/file-admission.js';
import { locationOf, pathFromFileSystem } from '../../../../../server/src/context/files/file-location.js';
import { looksOf } from '../../../../support/faults/changed-fs.js';
import { TemporaryFolder } from '../../../../support/temporary-folder.js';
import { SILENT } from '../../scripted-engine.js';

let folder: TemporaryFolder;
let admission: FileAdmission;

beforeEach(() => {
  folder = new TemporaryFolder();
  admission = new FileAdmission(SILENT);
  mkdirSync(folder.file('work'));
  admission.update({ folderUris: [uriOf('work')], trusted: true, exclude: ['drafts/**'] });
});

afterEach(() => folder.dispose());

function uriOf(name: string): string {
  return pathToFileURL(folder.file(name)).href;
}

function write(name: string, text = 'export const a = 1;\n'): void {
  mkdirSync(path.dirname(folder.file(name)), { recursive: true });
  writeFileSync(folder.file(name), text);
}

function link(target: string, name: string, type: 'file' | 'junction' = 'file'): void {
  mkdirSync(path.dirname(folder.file(name)), { recursive: true });
  symlinkSync(folder.file(target), folder.file(name), type);
}

async function admits(name: string): Promise<{ open: boolean; onDisk: boolean }> {
  const open = await admission.admits(locationOf(uriOf(name)));
  return { open, onDisk: (await admission.read(pathFromFileSystem(folder.file(name)))) !== null };
}

describe('a link within the workspace', () => {
  it('to a plain file is that file', async () => {
    write('work/src/a.ts');
    link('work/src/a.ts', 'work/lib/b.ts');
    link('work/src', 'work/sources', 'junction');
    expect(await admits('work/lib/b.ts')).toEqual({ open: true, onDisk: true });
    expect(await admits('work/sources/a.ts')).toEqual({ open: true, onDisk: true });
  });

  it('to an excluded file shows nothing of it', async () => {
    write('work/drafts/a.ts');
    link('work/drafts/a.ts', 'work/src/b.ts');
    link('work/drafts', 'work/texts', 'junction');
    expect(await admits('work/drafts/a.ts')).toEqual({ open: false, onDisk: false });
    expect(await admits('work/src/b.ts')).toEqual({ open: false, onDisk: false });
    expect(await admits('work/texts/a.ts')).toEqual({ open: false, onDisk: false });
  });

  it('to a file that git ignores shows nothing of it', async () => {
    write('work/.gitignore', '/build\n');
    write('work/build/a.ts');
    link('work/build/a.ts', 'work/src/b.ts');
    link('work/build', 'work/out', 'junction');
    expect(await admits('work/build/a.ts')).toEqual({ open: false, onDisk: false });
    expect(await admits('work/src/b.ts')).toEqual({ open: false, onDisk: false });
    expect(await admits('work/out/a.ts')).toEqual({ open: false, onDisk: false });
  });

  it('that is excluded itself stays so', async () => {
    write('work/src/a.ts');
    link('work/src/a.ts', 'work/drafts/b.ts');
    expect(await admits('work/drafts/b.ts')).toEqual({ open: false, onDisk: false });
  });
});

it('an open file outside the workspace that is a link to an excluded one in it is excluded', async () => {
  write('work/drafts/a.ts');
  write('work/src/a.ts');
  link('work/drafts/a.ts', 'elsewhere/a.ts');
  link('work/src/a.ts', 'elsewhere/b.ts');
  expect(await admits('elsewhere/a.ts')).toEqual({ open: false, onDisk: false });
  expect(await admits('elsewhere/b.ts')).toEqual({ open: true, onDisk: false });
});

it('of a workspace folder that is a link, the globs exclude the same files', async () => {
  write('work/drafts/a.ts');
  write('work/src/a.ts');
  link('work', 'linked', 'junction');
  admission.update({ folderUris: [uriOf('linked')], trusted: true, exclude: ['drafts/**'] });
  expect(await admits('linked/drafts/a.ts')).toEqual({ open: false, onDisk: false });
  expect(await admits('linked/src/a.ts')).toEqual({ open: true, onDisk: true });
  // The editor may open the same file by its other name.
  expect(await admits('work/drafts/a.ts')).toEqual({ open: false, onDisk: false });
});

/** Whether a document is admitted, and how often the disk was asked for it. */
async function asked(uri: string): Promise<{ readonly admits: boolean; readonly looks: number }> {
  let admits = false;
  const looks = await looksOf(async () => {
    admits = await admission.admits(locationOf(uri));
  });
  return { admits, looks };
}

it('a document at a place that no file has is refused, and costs no looks at the disk', async () => {
  const uri = uriOf('work');
  expect((await asked(`${uri}/a/b.ts`)).looks).toBeGreaterThan(0);
  expect((await asked(`${uri}/${'a/'.repeat(200)}b.ts`)).looks).toBeGreaterThan(200);
  for (const name of [`${'a/'.repeat(300)}b.ts`, `${'a'.repeat(5_000)}.ts`, 'a%00b.ts', 'a%00/b.ts']) {
    expect(await asked(`${uri}/${name}`)).toEqual({ admits: false, looks: 0 });
  }
  expect(await admission.read(`${pathFromFileSystem(folder.file('work'))}/a\0b.ts`)).toBeNull();
  expect(await admission.list(`${pathFromFileSystem(folder.file('work'))}/a\0b`)).toEqual([]);
});

it('with two workspace folders, a link from one into the other leads outside', async () => {
  mkdirSync(folder.file('other'));
  admission.update({ folderUris: [uriOf('work'), uriOf('other')], trusted: true, exclude: ['drafts/**'] });
  write('other/src/a.ts');
  link('other/src/a.ts', 'work/b.ts');
  expect(await admits('work/b.ts')).toEqual({ open: false, onDisk: false });
});

it('a document that is not saved yet is admitted by the path at which it will be', async () => {
  write('work/.gitignore', '/build\n');
  const names = ['.env', 'drafts/a.ts', 'build/a.ts', 'src/a.ts'];
  const at = uriOf('work').replace(/^file:\/\//, 'untitled:');
  const admitted = await Promise.all(names.map((name) => admission.admits(locationOf(`${at}/${name}`))));
  expect(admitted).toEqual([false, false, false, true]);
  expect(await admission.admits(locationOf('untitled:Untitled-1'))).toBe(true);
});
