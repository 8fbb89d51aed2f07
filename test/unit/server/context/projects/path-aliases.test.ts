import { mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { pathFromFileSystem } from '../../../../../server/src/context/files/file-location.js';
import { PathAliases } from '../../../../../server/src/context/projects/path-aliases.js';
import { TemporaryFolder } from '../../../../support/temporary-folder.js';

let folder: TemporaryFolder;
let root: string;
let reads: string[];
let aliases: PathAliases;

beforeEach(() => {
  folder = new TemporaryFolder();
  root = pathFromFileSystem(folder.path);
  reads = [];
  aliases = new PathAliases({
    readsIn: (file) => file.startsWith(`${root}/`),
    read: async (file) => {
      reads.push(file.slice(root.length + 1));
      return file.includes('secret') ? null : readFileSync(file, 'utf8');
    },
  });
});

afterEach(() => folder.dispose());

function write(name: string, config: unknown): void {
  mkdirSync(path.dirname(folder.file(name)), { recursive: true });
  writeFileSync(folder.file(name), typeof config === 'string' ? config : JSON.stringify(config));
}

const alias = (before: string, target: string) => ({
  compilerOptions: { paths: { [`${before}/*`]: [`${target}/*`] } },
});

async function resolved(specifier: string, from = 'app/src/main.ts'): Promise<readonly string[]> {
  const resolve = await aliases.of(`${root}/${from}`, root);
  return resolve(specifier).map((target) => target.slice(root.length + 1));
}

it('the nearest configuration counts, up to the workspace folder', async () => {
  expect(await resolved('@/a')).toEqual([]);
  write('tsconfig.json', alias('@', './lib'));
  expect(await resolved('@/a')).toEqual(['lib/a']);
  write('app/jsconfig.json', `// comment\n${JSON.stringify(alias('@', './src'))}`);
  expect(await resolved('@/a')).toEqual(['app/src/a']);
  expect(await resolved('@/a', 'main.ts')).toEqual(['lib/a']);
});

it('what it extends counts where it says nothing itself', async () => {
  write('tsconfig.base.json', alias('@', './src'));
  write('app/tsconfig.json', { extends: '../tsconfig.base' });
  expect(await resolved('@/a')).toEqual(['src/a']);
  write('app/tsconfig.json', { extends: '../tsconfig.base', ...alias('~', './own') });
  aliases.clear();
  expect([await resolved('@/a'), await resolved('~/a')]).toEqual([[], ['app/own/a']]);
});

it('what it extends is a file, also where a folder has its name', async () => {
  write('app/tsconfig.json', { extends: './base' });
  write('app/base/tsconfig.json', alias('@', './wrong'));
  expect(await resolved('@/a')).toEqual([]);
  write('app/base.json', alias('@', './src'));
  aliases.clear();
  expect(await resolved('@/a')).toEqual(['app/src/a']);
});

it('a package of the workspace is read where it lies', async () => {
  write('packages/config/tsconfig.json', alias('@', '../../lib'));
  write('packages/config/strict.json', alias('@', '../../strict'));
  write('app/tsconfig.json', { extends: '@acme/config' });
  mkdirSync(folder.file('node_modules/@acme'), { recursive: true });
  symlinkSync(folder.file('packages/config'), folder.file('node_modules/@acme/config'), 'junction');
  expect(await resolved('@/a')).toEqual(['lib/a']);
  write('app/tsconfig.json', { extends: '@acme/config/strict' });
  aliases.clear();
  expect(await resolved('@/a')).toEqual(['strict/a']);
  expect(reads.filter((file) => file.includes('node_modules'))).toEqual([]);
});

it('a configuration of parts leads to theirs', async () => {
  write('tsconfig.json', {
    files: [],
    references: [{ path: './tsconfig.node.json' }, { path: './tsconfig.app.json' }],
  });
  write('tsconfig.node.json', {});
  write('tsconfig.app.json', alias('@', './src'));
  expect(await resolved('@/a')).toEqual(['src/a']);
});

it('cycles and long chains end', async () => {
  write('tsconfig.json', { extends: './tsconfig.other', references: [{ path: '.' }] });
  write('tsconfig.other.json', { extends: './tsconfig.json', references: [{ path: './tsconfig.json' }] });
  expect(await resolved('@/a')).toEqual([]);
  for (let index = 0; index < 100; index += 1) {
    const others = [1, 2, 3].map((more) => ({ path: `./tsconfig.${index + more}.json` }));
    write(`tsconfig.${index}.json`, { extends: `./tsconfig.${index + 1}`, references: others });
  }
  write('tsconfig.json', { extends: './tsconfig.0' });
  aliases.clear();
  reads = [];
  expect(await resolved('@/a')).toEqual([]);
  expect(reads.length).toBeLessThanOrEqual(16);
});

it('a file is read again only when it has changed', async () => {
  write('tsconfig.json', alias('@', './src'));
  await resolved('@/a');
  await resolved('@/b');
  expect(reads).toEqual(['tsconfig.json']);
  write('tsconfig.json', alias('@', './other'));
  utimesSync(folder.file('tsconfig.json'), 5, 5);
  expect(await resolved('@/a')).toEqual(['other/a']);
});

it('a configuration that may not be read, or is broken, is none', async () => {
  write('secret/tsconfig.json', alias('@', './src'));
  write('broken/tsconfig.json', '{"compilerOptions"');
  expect(await resolved('@/a', 'secret/a.ts')).toEqual([]);
  expect(await resolved('@/a', 'broken/a.ts')).toEqual([]);
});
