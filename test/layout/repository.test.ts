import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { listSources, REPOSITORY_ROOT, readSource } from '../support/source-tree.js';

const FOLDERS = ['extension', 'media', 'native', 'server', 'test'];
const FILES = [
  'ARCHITECTURE.md',
  'CHANGELOG.md',
  'CMakeLists.txt',
  'CONTRIBUTING.md',
  'LICENSE',
  'PUBLISHING.md',
  'README.md',
  'SECURITY.md',
  'biome.json',
  'esbuild.mjs',
  'package-lock.json',
  'package.json',
  'package.nls.de.json',
  'package.nls.json',
  'tsconfig.base.json',
  'tsconfig.json',
  'vitest.config.mts',
];
/** Products of builds and packaging; .gitignore lists all of them. */
const GENERATED = /^(node_modules|dist|build|.*\.vsix)$/;

const MAXIMUM_LINES = 400;

/** Others that begin with a dot belong to the machine. */
const HIDDEN = [
  '.ci',
  '.clang-format',
  '.clang-tidy',
  '.editorconfig',
  '.gitattributes',
  '.github',
  '.gitignore',
  '.npmrc',
  '.vscode',
];

describe('repository', () => {
  test('the hidden files that tools read are there', () => {
    expect(readdirSync(REPOSITORY_ROOT)).toEqual(expect.arrayContaining(HIDDEN));
  });

  test('the top level contains exactly these folders and files', () => {
    const entries = readdirSync(REPOSITORY_ROOT).filter((name) => !name.startsWith('.') && !GENERATED.test(name));
    expect(entries.sort()).toEqual([...FOLDERS, ...FILES].sort());
  });

  test(`no source file is longer than ${MAXIMUM_LINES} lines`, () => {
    const sources = FOLDERS.flatMap((folder) => listSources(folder, /\.(ts|mts|mjs|cpp|h|css|html)$/))
      .filter((file) => !file.startsWith('test/fixtures/') && !file.startsWith('test/.output/'))
      .map((file) => ({ file, lines: readSource(file).split('\n').length - 1 }));
    expect(sources.filter(({ lines }) => lines > MAXIMUM_LINES)).toEqual([]);
  });
});

/** A page that a newcomer reads in one go; the rest stands beside the code. */
const MOST_BYTES = { 'README.md': 6_000, 'SECURITY.md': 9_000, 'ARCHITECTURE.md': 10_000, 'CONTRIBUTING.md': 4_000 };

test.each(Object.entries(MOST_BYTES))('%s has at most %i bytes', (file, bytes) => {
  expect(Buffer.byteLength(readSource(file))).toBeLessThanOrEqual(bytes);
});

test('the glossary has at most 25 terms', () => {
  const [, glossary = ''] = readSource('ARCHITECTURE.md').split('## Glossary');
  const rows = glossary.match(/^\| (?!term|---).*$/gm) ?? [];
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.length).toBeLessThanOrEqual(25);
});

// A new one must be looked at: does it work without its script, or does it belong into allowScripts?
test('install scripts are off, and the packages that have one are known', () => {
  expect(readSource('.npmrc')).toMatch(/^ignore-scripts=true$/m);
  const { packages } = JSON.parse(readSource('package-lock.json')) as {
    packages: Record<string, { hasInstallScript?: boolean }>;
  };
  const names = Object.keys(packages)
    .filter((folder) => packages[folder]?.hasInstallScript)
    .map((folder) => folder.replace(/^.*node_modules\//, ''));
  const known = /^(@vscode\/vsce-sign|esbuild|keytar|tree-sitter-[\w-]+)$/;
  expect(names.filter((name) => !known.test(name))).toEqual([]);
});

test('members are private by `#`, not by the keyword, except constructors', () => {
  const sources = ['extension/src', 'server', 'test'].flatMap((folder) => listSources(folder, /\.ts$/));
  const keyword =
    /^\s+(?:private|protected) (?!constructor\(|override )(?:static |readonly |async )*\w+[(:<?]|\((?:private|protected) /m;
  const languageSamples = /languages\.test\.ts$|^test\/fixtures\//;
  expect(sources.filter((file) => !languageSamples.test(file) && keyword.test(readSource(file)))).toEqual([]);
});

test('a timer that does not run is null', () => {
  const sources = ['extension/src', 'server'].flatMap((folder) => listSources(folder, /\.ts$/));
  expect(sources.filter((file) => /\bTimeout \| undefined\b/.test(readSource(file)))).toEqual([]);
});
