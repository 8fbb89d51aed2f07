import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { sumOfWindows, WindowRegistry } from '../../../../server/src/memory/window-registry.js';
import { OWN_PROCESS } from '../../../../server/src/util/files/process-identity.js';
import { TemporaryFolder } from '../../../support/temporary-folder.js';
import { SILENT } from '../scripted-engine.js';

const OWN = { pid: process.pid, privateBytes: 100, sharedBytes: 50, modelPath: '/a.gguf' };

let folder: TemporaryFolder;
let windows: string;
beforeEach(() => {
  folder = new TemporaryFolder();
  windows = folder.file('windows');
});
afterEach(() => folder.dispose());

it('counts the pages of a model once for several windows', () => {
  const other = { ...OWN, pid: 1 };
  expect(sumOfWindows([OWN])).toEqual({ count: 1, bytes: 150 });
  expect(sumOfWindows([OWN, other])).toEqual({ count: 2, bytes: 250 });
  expect(sumOfWindows([OWN, { ...other, modelPath: '/b.gguf' }])).toEqual({ count: 2, bytes: 300 });
});

it('sees running servers, and removes the files of others', async () => {
  const dead = spawn(process.execPath, ['--eval', '']);
  await once(dead, 'exit');
  mkdirSync(windows);
  const write = (pid: number | undefined, text: string) => writeFileSync(`${windows}/${pid}.json`, text);
  write(process.ppid, JSON.stringify({ ...OWN, privateBytes: 1000 }));
  write(dead.pid, JSON.stringify(OWN));
  writeFileSync(`${windows}/readme.txt`, 'something else');

  const registry = new WindowRegistry(windows, SILENT);
  expect(registry.update(OWN)).toEqual({ count: 2, bytes: 1150 });
  expect(existsSync(`${windows}/${dead.pid}.json`)).toBe(false);

  write(process.ppid, '{"privateBytes":"many"}');
  expect(registry.update(OWN)).toEqual({ count: 1, bytes: 150 });
  write(process.ppid, '{"priv');
  expect(registry.update(OWN)).toEqual({ count: 1, bytes: 150 });

  registry.leave();
  expect(readdirSync(windows).sort()).toEqual([`${process.ppid}.json`, 'readme.txt'].sort());
});

it('takes nothing from a file that no server wrote so', () => {
  mkdirSync(windows);
  const content = JSON.stringify({ ...OWN, privateBytes: 1000 });
  const registry = new WindowRegistry(windows, SILENT);
  writeFileSync(`${windows}/${process.ppid}.json`, content);
  expect(registry.update(OWN)).toEqual({ count: 2, bytes: 1150 });
  // One server has one file.
  writeFileSync(`${windows}/0${process.ppid}.json`, content);
  expect(registry.update(OWN)).toEqual({ count: 2, bytes: 1150 });
  // JSON has no infinite number, and yet this is one.
  writeFileSync(`${windows}/${process.ppid}.json`, content.replace('1000', '1e999'));
  expect(registry.update(OWN)).toEqual({ count: 1, bytes: 150 });
});

it('leaves alone what servers of another machine write into a home folder that both share', () => {
  mkdirSync(windows);
  const registry = new WindowRegistry(windows, SILENT);
  registry.update(OWN);
  expect(JSON.parse(readFileSync(`${windows}/${process.pid}.json`, 'utf8'))).toMatchObject({ host: hostname() });
  const theirs = `${windows}/999999999.json`;
  writeFileSync(theirs, JSON.stringify({ ...OWN, pid: 999_999_999, start: '1', host: 'another machine' }));
  expect(registry.update(OWN)).toEqual({ count: 1, bytes: 150 });
  expect(existsSync(theirs)).toBe(true);
  // Nobody else would ever remove what is left of a machine that is no more.
  utimesSync(theirs, 1, 1);
  registry.update(OWN);
  expect(existsSync(theirs)).toBe(false);
});

it('removes drafts of servers that were killed while they wrote', () => {
  mkdirSync(windows);
  const [old, fresh] = ['1.json.inkling-1.tmp', '2.json.inkling-2.tmp'];
  for (const draft of [old, fresh]) writeFileSync(`${windows}/${draft}`, '{');
  utimesSync(`${windows}/${old}`, 1, 1);
  new WindowRegistry(windows, SILENT).leave();
  expect(readdirSync(windows)).toEqual([fresh]);
});

it.skipIf(OWN_PROCESS.start === null)('does not count a server whose id another process has now', () => {
  mkdirSync(windows);
  const file = `${windows}/${process.ppid}.json`;
  writeFileSync(file, JSON.stringify({ ...OWN, privateBytes: 1000, start: '1' }));
  const registry = new WindowRegistry(windows, SILENT);
  expect(registry.update(OWN)).toEqual({ count: 1, bytes: 150 });
  expect(existsSync(file)).toBe(false);
  expect(JSON.parse(readFileSync(`${windows}/${process.pid}.json`, 'utf8'))).toMatchObject({
    start: OWN_PROCESS.start,
  });
});

it('is alone without a folder', () => {
  const registry = new WindowRegistry(null, SILENT);
  expect(registry.update(OWN)).toEqual({ count: 1, bytes: 150 });
  registry.leave();
});
