import { readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { afterAll, expect, it, vi } from 'vitest';
import { ExaminedFiles } from '../../../../../server/src/models/safety/examined-files.js';
import { JsonFile } from '../../../../../server/src/util/files/json-file.js';
import { LockFile } from '../../../../../server/src/util/files/lock-file.js';
import { TemporaryFolder } from '../../../../support/temporary-folder.js';
import { SILENT } from '../../scripted-engine.js';

const folder = new TemporaryFolder();
afterAll(() => folder.dispose());

const open = (name: string, version = '1') => new ExaminedFiles(new JsonFile(folder.file(name), SILENT), version);

function write(name: string): string {
  const path = folder.file(name);
  writeFileSync(path, name);
  return path;
}

it('knows a file in later sessions, until the file or the version changes', async () => {
  const path = write('model.gguf');
  expect(await open('list.json').has([path])).toBe(false);
  await open('list.json').add([path]);
  expect(await open('list.json').has([path])).toBe(true);
  expect(await open('list.json', '2').has([path])).toBe(false);
  utimesSync(path, 1, 1);
  expect(await open('list.json').has([path])).toBe(false);
});

it('knows a split file by all of its parts', async () => {
  const [first, second] = [write('a.gguf'), write('b.gguf')];
  const files = open('split.json');
  await files.add([first]);
  expect(await files.has([first, second])).toBe(false);
  await files.add([first, second]);
  expect(await files.has([first, second])).toBe(true);
  expect(await files.has([folder.file('gone.gguf')])).toBe(false);
});

it('keeps what other windows wrote meanwhile, and survives a broken list', async () => {
  const [one, two] = [write('one.gguf'), write('two.gguf')];
  const [left, right] = [open('shared.json'), open('shared.json')];
  expect(await left.has([one])).toBe(false);
  await right.add([two]);
  await left.add([one]);
  expect(await open('shared.json').has([one, two])).toBe(true);
  writeFileSync(folder.file('shared.json'), '{"version":"1","files":[7,{"path":""}]}');
  expect(await open('shared.json').has([one])).toBe(false);
});

it('remembers for itself without a file', async () => {
  const files = new ExaminedFiles(new JsonFile(null, SILENT), '1');
  const path = write('model.gguf');
  await files.add([path]);
  expect(await files.has([path])).toBe(true);
});

it('waits for another window that changes the list', async () => {
  const [one, two] = [write('first.gguf'), write('second.gguf')];
  await open('locked.json').add([one]);
  const held = readFileSync(folder.file('locked.json'));
  rmSync(folder.file('locked.json'));
  const lock = LockFile.take(folder.file('locked.json.lock'));
  const wait = vi.spyOn(Atomics, 'wait').mockImplementation(() => {
    if (lock !== null) writeFileSync(folder.file('locked.json'), held);
    lock?.release();
    return 'timed-out';
  });
  await open('locked.json').add([two]);
  wait.mockRestore();
  expect(await open('locked.json').has([one, two])).toBe(true);
});
