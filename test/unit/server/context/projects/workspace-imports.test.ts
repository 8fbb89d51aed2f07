import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FileAdmission } from '../../../../../server/src/context/admission/file-admission.js';
import { DiskFiles } from '../../../../../server/src/context/files/disk-files.js';
import { FileIndex } from '../../../../../server/src/context/files/file-index.js';
import { pathFromFileSystem } from '../../../../../server/src/context/files/file-location.js';
import { importsOf } from '../../../../../server/src/context/languages/language-support.js';
import { languageByPath } from '../../../../../server/src/context/languages/languages.js';
import { TemporaryFolder } from '../../../../support/temporary-folder.js';
import { SILENT } from '../../scripted-engine.js';

let folder: TemporaryFolder;
let root: string;

beforeEach(() => {
  folder = new TemporaryFolder();
  mkdirSync(folder.file('w'));
  root = pathFromFileSystem(folder.file('w'));
});

afterEach(() => folder.dispose());

/** @param files by their paths in the workspace */
function write(files: Readonly<Record<string, unknown>>): void {
  for (const [name, content] of Object.entries(files)) {
    const file = folder.file(`w/${name}`);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  }
}

/** A link in `node_modules`, as package managers make them. */
function link(name: string, target: string): void {
  const place = folder.file(`w/node_modules/${name}`);
  mkdirSync(path.dirname(place), { recursive: true });
  symlinkSync(path.resolve(folder.file('w'), target), place, 'junction');
}

/** The files of the workspace that imports lead to, as read from disk. */
async function found(text: string, from: string, exclude: readonly string[] = []): Promise<readonly string[]> {
  const language = languageByPath(from);
  if (language === null) throw new Error(`No support for ${from}`);
  const index = new FileIndex();
  const admission = new FileAdmission(SILENT);
  admission.update({ folderUris: [pathToFileURL(folder.file('w')).href], trusted: true, exclude });
  const disk = new DiskFiles(index, admission, () => false);
  const turn = async (): Promise<void> => undefined;
  await disk.resolveImports(importsOf(language, text), language, `${root}/${from}`, root, turn);
  return index.files.map(({ key }) => (key.startsWith(`${root}/`) ? key.slice(root.length + 1) : key)).sort();
}

const MAIN = 'apps/web/src/main.ts';
const IMPORT = "import { Button } from '@acme/ui';\n";
const BUTTON = 'export const Button = 1;\n';

describe('a package of the workspace', () => {
  it('is found by its link in node_modules', async () => {
    write({ '.gitignore': 'node_modules\n', 'packages/design/src/index.ts': BUTTON });
    write({ 'packages/design/package.json': { name: '@acme/ui', main: './src/index.ts' } });
    expect(await found(IMPORT, MAIN)).toEqual([]);
    link('@acme/ui', 'packages/design');
    expect(await found(IMPORT, MAIN)).toEqual(['packages/design/src/index.ts']);
  });

  it.each([
    ['package.json', { workspaces: ['packages/*'] }],
    ['package.json', { workspaces: { packages: ['./packages/**'] } }],
    ['package.json', { workspaces: ['packages/ui'] }],
    [
      'pnpm-workspace.yaml',
      '# All\npackages:\n  # libraries\n  - "packages/*"\n  - apps/*\nonlyBuiltDependencies:\n  - a\n',
    ],
  ])('is found by what %s says (%#)', async (name, content) => {
    write({ 'packages/ui/package.json': { name: '@acme/ui' }, 'packages/ui/src/index.ts': BUTTON });
    expect(await found(IMPORT, MAIN)).toEqual([]);
    write({ [name]: content });
    expect(await found(IMPORT, MAIN)).toEqual(['packages/ui/src/index.ts']);
    write({ 'packages/ui/package.json': { name: '@other/ui' } });
    expect(await found(IMPORT, MAIN)).toEqual([]);
  });

  it('is found in itself, by its name and by names of its own', async () => {
    write({
      'packages/ui/package.json': { name: '@acme/ui', exports: './lib/a.js', imports: { '#in/*': './lib/in/*.js' } },
      'packages/ui/lib/a.ts': 'export const a = 1;\n',
      'packages/ui/lib/in/b.ts': 'export const b = 1;\n',
    });
    const text = "import { a } from '@acme/ui';\nimport { b } from '#in/b';\n";
    expect(await found(text, 'packages/ui/test/a.ts')).toEqual(['packages/ui/lib/a.ts', 'packages/ui/lib/in/b.ts']);
  });

  it.each<[string, object, string, string]>([
    ['main', { main: 'code/main' }, '', 'code/main.js'],
    ['types', { main: './code/main.js', types: './code/main.d.ts' }, '', 'code/main.d.ts'],
    ['the source of a built main', { main: './dist/cjs/index.js' }, '', 'src/index.tsx'],
    ['a source of its own', { source: './lib/main.ts', main: './code/a.js' }, '', 'lib/main.ts'],
    ['exports', { exports: { '.': './code/a.js' } }, '', 'code/a.ts'],
    ['one text of exports', { exports: './code/a.js' }, '', 'code/a.ts'],
    [
      'conditions',
      { exports: { node: null, import: { types: './code/a.d.ts', default: './code/a.js' } } },
      '',
      'code/a.d.ts',
    ],
    [
      'a source among conditions',
      { exports: { '.': { import: './code/b.js', source: './code/a.ts' } } },
      '',
      'code/a.ts',
    ],
    ['a part', { exports: { './a': ['./code/a.js'] } }, '/a', 'code/a.ts'],
    ['a pattern', { exports: { './*': './no/*.js', './x/*': './code/*.js' } }, '/x/a', 'code/a.ts'],
    ['a file', {}, '/code/a', 'code/a.ts'],
    ['a file below src', {}, '/a', 'src/a.ts'],
    ['nothing', {}, '', 'src/index.tsx'],
  ])('is entered by %s', async (_, facts, part, expected) => {
    const names = [
      'lib/main.ts',
      'code/main.js',
      'code/main.d.ts',
      'src/index.tsx',
      'code/a.ts',
      'code/a.d.ts',
      'src/a.ts',
      'code/b.js',
    ];
    // Of a package that says nothing of types there are none.
    const kept = names.filter((name) => !name.endsWith('.d.ts') || expected.endsWith('.d.ts'));
    const others = kept.filter((name) => name !== 'code/a.ts' || expected !== 'code/a.d.ts');
    write(Object.fromEntries(others.map((name) => [`packages/ui/${name}`, BUTTON])));
    write({ 'packages/ui/package.json': { name: '@acme/ui', ...facts } });
    link('@acme/ui', 'packages/ui');
    expect(await found(`import { Button } from '@acme/ui${part}';\n`, MAIN)).toEqual([`packages/ui/${expected}`]);
  });

  it('has its sources in its built files’ place, which git ignores', async () => {
    write({
      '.gitignore': 'dist\n',
      'packages/ui/package.json': { name: '@acme/ui', types: './dist/index.d.ts', main: './dist/index.js' },
      'packages/ui/dist/index.d.ts': BUTTON,
    });
    link('@acme/ui', 'packages/ui');
    expect(await found(IMPORT, MAIN)).toEqual([]);
    write({ 'packages/ui/src/index.ts': BUTTON });
    expect(await found(IMPORT, MAIN)).toEqual(['packages/ui/src/index.ts']);
  });

  it('gives way to what a tsconfig.json says of its name', async () => {
    write({
      'tsconfig.json': { compilerOptions: { paths: { '@acme/ui': ['./packages/ui/own.ts'] } } },
      'packages/ui/package.json': { name: '@acme/ui', main: './main.ts' },
      'packages/ui/own.ts': BUTTON,
      'packages/ui/main.ts': BUTTON,
    });
    link('@acme/ui', 'packages/ui');
    expect(await found(IMPORT, MAIN)).toEqual(['packages/ui/own.ts']);
  });
});

describe('no file is read', () => {
  beforeEach(() => {
    write({ 'packages/ui/package.json': { name: '@acme/ui' }, 'packages/ui/src/index.ts': BUTTON });
  });

  it('outside the workspace', async () => {
    mkdirSync(folder.file('out/src'), { recursive: true });
    writeFileSync(folder.file('out/package.json'), JSON.stringify({ name: '@acme/ui' }));
    writeFileSync(folder.file('out/src/index.ts'), BUTTON);
    link('@acme/ui', '../out');
    expect(await found(IMPORT, MAIN)).toEqual([]);
    write({ 'package.json': { workspaces: ['../out', '../*', '/*', 'packages/ui/../../../out'] } });
    expect(await found("import { Button } from '@acme/out';\n", MAIN)).toEqual([]);
    for (const to of ['../../../out/src/index.ts', './../../../out/src/index.ts', '/out/src/index.ts']) {
      write({ 'packages/ui/package.json': { name: '@acme/own', main: to, exports: { './a': to } } });
      write({ 'package.json': { workspaces: ['packages/ui'] } });
      expect(await found("import { Button } from '@acme/own/a';\n", MAIN)).toEqual([]);
    }
  });

  it('of another package', async () => {
    write({ 'node_modules/@acme/ui/package.json': { main: 'a.ts' }, 'node_modules/@acme/ui/a.ts': BUTTON });
    write({ 'package.json': { workspaces: ['packages/*'] } });
    expect(await found(IMPORT, MAIN)).toEqual([]);
    write({ 'package.json': { workspaces: ['apps/node_modules/*'] } });
    write({
      'apps/node_modules/c/package.json': { name: '@acme/c', main: 'a.ts' },
      'apps/node_modules/c/a.ts': BUTTON,
    });
    expect(await found("import { c } from '@acme/c';\n", 'main.ts')).toEqual([]);
    write({ 'node_modules/.pnpm/b/node_modules/b/a.ts': BUTTON });
    write({ 'node_modules/.pnpm/b/node_modules/b/package.json': { main: 'a.ts' } });
    link('b', 'node_modules/.pnpm/b/node_modules/b');
    expect(await found("import { b } from 'b';\nimport { c } from '@acme/ui/../../../b';\n", MAIN)).toEqual([]);
  });

  it('that is excluded, secret or of no language, and none by an excluded package.json', async () => {
    link('@acme/ui', 'packages/ui');
    expect(await found(IMPORT, MAIN)).toEqual(['packages/ui/src/index.ts']);
    expect(await found(IMPORT, MAIN, ['packages/ui/src'])).toEqual([]);
    expect(await found(IMPORT, MAIN, ['**/package.json'])).toEqual([]);
    write({ 'packages/ui/.env.ts': BUTTON, 'packages/ui/a.json': '{}' });
    write({ 'packages/ui/package.json': { main: './.env.ts', exports: { './a': './a.json' } } });
    expect(await found("import { a } from '@acme/ui/.env';\nimport { b } from '@acme/ui/a';\n", MAIN)).toEqual([]);
  });
});

it.each([
  'no JSON',
  '[]',
  'null',
  { name: 1, main: {}, workspaces: 'packages', exports: 3 },
  { workspaces: [1, null, '*'.repeat(500), 'a/*/b/*'], exports: [[[[[[['./a.ts']]]]]]] },
  `{"exports":${'{"import":'.repeat(6_000)}1${'}'.repeat(6_000)}}`,
  `{"exports":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
  `{"name":"@acme/ui","main":"a.ts","x":"${'x'.repeat(70_000)}"}`,
])('a hostile package.json leads nowhere (%#)', async (content) => {
  write({ 'packages/ui/package.json': content, 'packages/ui/a.ts': BUTTON, 'package.json': content });
  link('@acme/ui', 'packages/ui');
  expect(await found(`${IMPORT}import { a } from './a';\n`, MAIN)).toEqual([]);
});

describe('a Go module of the workspace', () => {
  const LOG = 'package log\n\nfunc Write() {}\n';
  const GO_IMPORT = 'package main\n\nimport "example.com/acme/log/text"\n';
  const GO_MAIN = 'services/api/cmd/main.go';

  it('is found where its own go.mod says how it is called', async () => {
    write({ 'services/api/go.mod': 'module example.com/acme/api // v1\n', 'services/api/api.go': 'package api\n' });
    const text = 'package main\n\nimport (\n\t"fmt"\n\t"example.com/acme/api"\n)\n';
    expect(await found(text, GO_MAIN)).toEqual(['services/api/api.go']);
  });

  it.each([
    'replace example.com/acme/log => ../../shared/logging\n',
    'replace (\n\t// Ours.\n\texample.com/acme/log v1.2.3 => ../../shared/logging // here\n)\n',
    'replace "example.com/acme/log" => `../../shared/logging`\n',
  ])('is found by a replacement (%#)', async (replacement) => {
    write({ 'shared/logging/text/log.go': LOG, 'services/api/go.mod': 'module example.com/acme/api\n' });
    expect(await found(GO_IMPORT, GO_MAIN)).toEqual([]);
    write({ 'services/api/go.mod': `module example.com/acme/api\n\nrequire example.com/x v1.0.0\n\n${replacement}` });
    expect(await found(GO_IMPORT, GO_MAIN)).toEqual(['shared/logging/text/log.go']);
  });

  it('is found by go.work, the longest name first', async () => {
    write({
      'shared/logging/text/log.go': LOG,
      'shared/text/text.go': LOG,
      'shared/logging/go.mod': 'module (\n\texample.com/acme/log\n)\n',
      'shared/text/go.mod': 'module example.com/acme/log/text\n',
      'services/api/go.mod': 'module example.com/acme/api\n\nreplace example.com/acme/log => ../other\n',
    });
    expect(await found(GO_IMPORT, GO_MAIN)).toEqual([]);
    write({ 'go.work': 'go 1.22\n\nuse ./services/api\nuse (\n\t./shared/logging\n)\n' });
    expect(await found(GO_IMPORT, GO_MAIN)).toEqual(['shared/logging/text/log.go']);
    write({ 'go.work': 'use ./services/api\nuse ./shared/logging\nuse ./shared/text\n' });
    expect(await found(GO_IMPORT, GO_MAIN)).toEqual(['shared/text/text.go']);
    write({ 'go.work': 'use ./services/api\n\nreplace example.com/acme/log => ./shared/logging\n' });
    expect(await found(GO_IMPORT, GO_MAIN)).toEqual(['shared/logging/text/log.go']);
  });

  it('comes before a folder that is named alike', async () => {
    write({
      'log/text/guess.go': LOG,
      'shared/logging/text/log.go': LOG,
      'go.mod': 'module example.com/acme\n\nreplace example.com/acme/log => ./shared/logging\n',
    });
    expect(await found(GO_IMPORT, 'main.go')).toEqual(['shared/logging/text/log.go']);
  });

  it('lies in the workspace, and is not excluded', async () => {
    mkdirSync(folder.file('out/text'), { recursive: true });
    writeFileSync(folder.file('out/text/log.go'), LOG);
    writeFileSync(folder.file('out/go.mod'), 'module example.com/acme/log\n');
    const outside = pathFromFileSystem(folder.file('out'));
    for (const to of ['../out', './../out', outside, '//server/out', './a/../../out']) {
      write({ 'go.mod': `module a\nreplace example.com/acme/log => ${to}\n`, 'go.work': `use ${to}\n` });
      expect(await found(GO_IMPORT, 'main.go'), to).toEqual([]);
    }
    write({ 'go.mod': 'module a\nreplace example.com/acme/log => ./in\n', 'in/text/log.go': LOG });
    expect(await found(GO_IMPORT, 'main.go')).toEqual(['in/text/log.go']);
    expect(await found(GO_IMPORT, 'main.go', ['in'])).toEqual([]);
    expect(await found(GO_IMPORT, 'main.go', ['go.mod'])).toEqual([]);
  });
});
