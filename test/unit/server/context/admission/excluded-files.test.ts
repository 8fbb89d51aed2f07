import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { excludedByGlobs } from '../../../../../server/src/context/admission/excluded-globs.js';
import { GitIgnore } from '../../../../../server/src/context/admission/git-ignore.js';
import { pathFromFileSystem } from '../../../../../server/src/context/file-location.js';
import { TemporaryFolder } from '../../../../support/temporary-folder.js';

describe('globs', () => {
  it.each([
    [['docs'], 'docs/a/b.ts', true],
    [['docs'], 'src/docs/a.ts', true],
    [['docs/'], 'docs/a.ts', true],
    [['src/docs'], 'lib/src/docs/a.ts', false],
    [['*.snap'], 'a/b/c.snap', true],
    [['**/*.{pem,snap}'], 'a/b.snap', true],
    [['**/node_modules'], 'a/node_modules/b/c.js', true],
    [['./src/*.ts'], 'src/a.ts', true],
    [['src/*.ts'], 'src/b/a.ts', false],
    [['src\\generated\\**'], 'src/generated/a.ts', true],
    [['.hidden'], '.hidden/a.ts', true],
    [['*.TS'], 'a.ts', true],
    [['', '  '], 'a.ts', false],
    [[], 'a.ts', false],
    [['secret*'], '/outside/secret.ts', true],
  ])('%j: %s %j', (globs, file, expected) => {
    expect(excludedByGlobs(globs)(file)).toBe(expected);
  });
});

describe('.gitignore', () => {
  let folder: TemporaryFolder;

  beforeEach(() => {
    folder = new TemporaryFolder();
  });
  afterEach(() => folder.dispose());

  function write(name: string, text: string): void {
    mkdirSync(path.dirname(folder.file(name)), { recursive: true });
    writeFileSync(folder.file(name), text);
  }

  const FILES = [
    ...['a.ts', 'a.log', 'keep.log', 'build/a.ts', 'src/build/a.ts', 'src/a.ts', 'src/a.gen.ts', 'src/keep.gen.ts'],
    ...[
      'src/deep/a.gen.ts',
      'src/deep/a.log',
      'vendor/a.ts',
      'vendor/keep/a.ts',
      'excluded/a.ts',
      'docs/a.md',
      'über.ts',
    ],
  ];
  const RULES = {
    '.gitignore': '*.log\n!keep.log\nbuild/\n/vendor\n!vendor/keep\n# comment\ndocs/*.md\nüber.ts\n',
    'src/.gitignore': '*.gen.ts\n!keep.gen.ts\n!build/\n',
    'src/deep/.gitignore': '!a.gen.ts\n!*.log\n',
    'vendor/.gitignore': '!a.ts\n',
  };

  it('excludes the files that git ignores', async () => {
    execFileSync('git', ['init', '-q', folder.path]);
    for (const file of FILES) write(file, '');
    for (const [file, rules] of Object.entries(RULES)) write(file, rules);
    write('.git/info/exclude', 'excluded/\n');
    const root = pathFromFileSystem(folder.path);
    const ignore = new GitIgnore();
    for (const file of FILES) {
      let expected = true;
      try {
        execFileSync('git', ['-C', folder.path, 'check-ignore', '-q', file]);
      } catch {
        expected = false;
      }
      expect(await ignore.ignores(`${root}/${file}`, root), file).toBe(expected);
      // The same from a workspace folder inside the repository.
      if (file.startsWith('src/')) expect(await ignore.ignores(`${root}/${file}`, `${root}/src`)).toBe(expected);
    }
  });

  it('counts without a repository, from the workspace folder down', async () => {
    write('work/.gitignore', 'a.ts\n');
    write('.gitignore', 'b.ts\n');
    const root = `${pathFromFileSystem(folder.path)}/work`;
    const ignore = new GitIgnore();
    expect(await ignore.ignores(`${root}/a.ts`, root)).toBe(true);
    expect(await ignore.ignores(`${root}/b.ts`, root)).toBe(false);
    expect(await ignore.ignores(`${root}/../c.ts`, root)).toBe(false);
  });
});
