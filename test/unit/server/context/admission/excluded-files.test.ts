import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { excludedByGlobs } from '../../../../../server/src/context/admission/excluded-globs.js';
import { GitIgnore } from '../../../../../server/src/context/admission/git-ignore.js';
import { pathFromFileSystem } from '../../../../../server/src/context/files/file-location.js';
import { TemporaryFolder } from '../../../../support/temporary-folder.js';
import { SILENT } from '../../scripted-engine.js';

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
    [['**/a/**/b'], 'a/b', true],
    [['**/a/**/b'], 'x/a/y/z/b/c.ts', true],
    [['a/**'], 'a/b.ts', true],
    [['src/{a,b/{c,d}}/*.ts'], 'src/b/d/x.ts', true],
    [['src/{a,b/{c,d}}/*.ts'], 'src/b/x.ts', false],
    [['[a-c]?.ts'], 'b1.ts', true],
    [['[!a-c].ts'], 'b.ts', false],
    [['[]a].ts'], '].ts', true],
    [['[.ts'], '[.ts', true],
    [['x{a'], 'x{a', true],
    [['**/*a*a*a*a*b'], 'a'.repeat(240), false],
  ])('%j: %s %j', (globs, file, expected) => {
    const { excludes, problems } = excludedByGlobs(globs);
    expect(problems).toEqual([]);
    expect(excludes(file)).toBe(expected);
  });
});

describe('a glob that cannot be read', () => {
  it.each([
    ['a'.repeat(513), 'it is longer than 512 characters'],
    ['{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}', 'it has too many alternatives'],
    ['!src', 'not supported'],
    ['+(a|b)', 'not supported'],
  ])('excludes every file and is named: %s', (glob, reason) => {
    const { excludes, problems } = excludedByGlobs(['docs', glob]);
    expect(problems).toEqual([expect.stringContaining(reason)]);
    expect(problems[0]).toContain(glob.slice(0, 512));
    expect(excludes('src/a.ts')).toBe(true);
  });

  it('is also one that makes all of them too long', () => {
    const globs = Array.from({ length: 200 }, (_, index) => `${index}`.padEnd(400, 'a'));
    expect(excludedByGlobs(globs).problems).toEqual([expect.stringContaining('too long together')]);
  });
});

describe('.gitignore', () => {
  let folder: TemporaryFolder;

  beforeEach(() => {
    folder = new TemporaryFolder();
  });
  afterEach(() => {
    vi.restoreAllMocks();
    folder.dispose();
  });

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
    const ignore = new GitIgnore(SILENT);
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

  it('excludes what git ignores, whatever the rule', async () => {
    execFileSync('git', ['init', '-q', folder.path]);
    const files = [
      'a',
      'b/a',
      'b/c/a',
      'a b',
      'a ',
      '#a',
      '!a',
      'x[1]',
      'b.c',
      'B.C',
      'ab',
      'a/b',
      'c/a/x/y/b',
      'a\\b',
    ];
    const tried = files.filter((file) => !files.some((other) => other.startsWith(`${file}/`)));
    for (const file of tried) write(file, '');
    const rules = [
      ...['a', '/a', 'a/', '*', '?', 'a?', '*/a', '**/a', '**/c/a', 'b/**', 'b/**/a', 'c/**/b', '**', '/**', '[a-b]*'],
      ...[
        '[!a]*',
        '\\#a',
        '\\!a',
        '#a',
        '!a',
        'a\\ ',
        'a ',
        'x[[]1]',
        'x\\[1]',
        '*.c',
        '*\\*',
        '/',
        '',
        'b/',
        'b/c',
        'a**',
      ],
      ...['**b', 'b//a', '[]', '[a', '\\a', '*\n!b/a', 'b/*\n!b/c', 'b\n!b/a'],
      // Editors of Windows begin a file with a byte order mark.
      ...['\uFEFFa', '\uFEFF/a', '\uFEFF#a', '\uFEFF*\n!b/a', '*\n\uFEFF!b/a', '\uFEFF', 'a\r', '\uFEFFa\r\n!b/a\r'],
    ];
    const root = pathFromFileSystem(folder.path);
    for (const rule of rules) {
      write('.gitignore', `${rule}\n`);
      // Case decides in git on this file system, and not here: a name in another case is ignored too.
      const input = tried.join('\0');
      const { stdout } = spawnSync('git', ['-C', folder.path, 'check-ignore', '-z', '--stdin'], { input });
      const expected = String(stdout).split('\0').filter(Boolean).sort();
      const ignore = new GitIgnore(SILENT);
      const found: string[] = [];
      for (const file of tried) if (await ignore.ignores(`${root}/${file}`, root)) found.push(file);
      const other = found.filter((file) => file !== 'B.C').sort();
      expect(other, JSON.stringify(rule)).toEqual(expected.filter((file) => file !== 'B.C'));
    }
  });

  it.each(['a worktree', 'a submodule'])('counts with info/exclude of its repository in %s', async (kind) => {
    const git = (...parts: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'protocol.file.allow=always', ...parts]);
    const main = folder.file('main');
    git('init', '-q', main);
    git('-C', main, 'commit', '-q', '--allow-empty', '-m', 'first');
    const place = kind === 'a worktree' ? folder.file('tree') : folder.file('outer/part');
    if (kind === 'a worktree') {
      git('-C', main, 'worktree', 'add', '-q', place);
      write('main/.git/info/exclude', 'private/\n');
    } else {
      git('init', '-q', folder.file('outer'));
      git('-C', folder.file('outer'), 'submodule', '--quiet', 'add', main, 'part');
      write('outer/.git/modules/part/info/exclude', 'private/\n');
    }
    const root = pathFromFileSystem(place);
    const ignore = new GitIgnore(SILENT);
    for (const [file, expected] of [
      ['private/a.ts', 0],
      ['src/a.ts', 1],
    ] as const) {
      expect(spawnSync('git', ['-C', place, 'check-ignore', '-q', file]).status).toBe(expected);
      expect(await ignore.ignores(`${root}/${file}`, root)).toBe(expected === 0);
    }
  });

  it.each([
    'gitdir: //server/share',
    'gitdir: \\\\server\\share',
    'gitdir: ',
    'something else',
    'gitdir: nowhere',
    'gitdir: a\0b',
  ])('counts alone where .git says %j', async (text) => {
    write('.git', `${text}\n`);
    write('.gitignore', 'private/\n');
    const root = pathFromFileSystem(folder.path);
    const ignore = new GitIgnore(SILENT);
    expect(await ignore.ignores(`${root}/private/a.ts`, root)).toBe(true);
    expect(await ignore.ignores(`${root}/a.ts`, root)).toBe(false);
  });

  it('is not followed where it is a link, and not read where it is large', async () => {
    const root = pathFromFileSystem(folder.path);
    write('rules', 'other\n');
    mkdirSync(folder.file('linked'));
    symlinkSync(folder.file('rules'), folder.file('linked/.gitignore'));
    write('large/.gitignore', 'a\n'.repeat(40_000));
    const warnings: string[] = [];
    const ignore = new GitIgnore({ ...SILENT, warn: (line) => warnings.push(line) });
    for (let again = 0; again < 2; again++) {
      expect(await ignore.ignores(`${root}/linked/b.ts`, root)).toBe(true);
      expect(await ignore.ignores(`${root}/large/b.ts`, root)).toBe(true);
      expect(await ignore.ignores(`${root}/b.ts`, root)).toBe(false);
    }
    expect(warnings).toEqual([
      expect.stringContaining(`${root}/linked/.gitignore is a link`),
      expect.stringContaining(`${root}/large/.gitignore is a link, unreadable or larger`),
    ]);
  });

  it.each([
    ['a path of more than 64 parts', `${'a/'.repeat(64)}b.ts`, `${'a/'.repeat(63)}b.ts`],
    ['a path of more than 1,024 characters', `${'abcdefgh/'.repeat(60)}${'a'.repeat(490)}`, 'a'.repeat(200)],
  ])('excludes %s', async (_name, long, allowed) => {
    const root = pathFromFileSystem(folder.path);
    const ignore = new GitIgnore(SILENT);
    expect(await ignore.ignores(`${root}/${long}`, root)).toBe(true);
    expect(await ignore.ignores(`${root}/${allowed}`, root)).toBe(false);
  });

  it('excludes everything in its folder where a rule is longer than 512 characters', async () => {
    const root = pathFromFileSystem(folder.path);
    write('long/.gitignore', `${'a'.repeat(513)}\n`);
    write('short/.gitignore', `${'a'.repeat(512)}\n# ${'a'.repeat(600)}\n`);
    const warnings: string[] = [];
    const ignore = new GitIgnore({ ...SILENT, warn: (line) => warnings.push(line) });
    for (let again = 0; again < 2; again++) {
      expect(await ignore.ignores(`${root}/long/b.ts`, root)).toBe(true);
      expect(await ignore.ignores(`${root}/short/b.ts`, root)).toBe(false);
      expect(await ignore.ignores(`${root}/b.ts`, root)).toBe(false);
    }
    expect(warnings).toEqual([expect.stringContaining(`${root}/long has a rule of more than 512 characters`)]);
  });

  it('excludes everything in the folder where the rules along the path become too many', async () => {
    const root = pathFromFileSystem(folder.path);
    const half = 'abcdefg\n'.repeat(5_000);
    write('.gitignore', half);
    const ignore = new GitIgnore(SILENT);
    expect(await ignore.ignores(`${root}/b.ts`, root)).toBe(false);
    write('a/b/.gitignore', half);
    expect(await ignore.ignores(`${root}/a/b.ts`, root)).toBe(false);
    expect(await ignore.ignores(`${root}/a/b/c.ts`, root)).toBe(true);
    expect(await ignore.ignores(`${root}/a/c/c.ts`, root)).toBe(false);
  });

  it('follows rules that change, for folders too', async () => {
    let now = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => {
      now += 10_000;
      return now;
    });
    const root = pathFromFileSystem(folder.path);
    const ignore = new GitIgnore(SILENT);
    const file = `${root}/a/b/c.ts`;
    const isIgnored = () => ignore.ignores(file, root);
    expect(await isIgnored()).toBe(false);
    write('.gitignore', 'b/\n');
    expect(await isIgnored()).toBe(true);
    write('a/.gitignore', '!b/\n');
    expect(await isIgnored()).toBe(false);
    rmSync(folder.file('a/.gitignore'));
    expect(await isIgnored()).toBe(true);
    rmSync(folder.file('.gitignore'));
    expect(await isIgnored()).toBe(false);
  });

  it('counts without a repository, from the workspace folder down', async () => {
    write('work/.gitignore', 'a.ts\n');
    write('.gitignore', 'b.ts\n');
    const root = `${pathFromFileSystem(folder.path)}/work`;
    const ignore = new GitIgnore(SILENT);
    expect(await ignore.ignores(`${root}/a.ts`, root)).toBe(true);
    expect(await ignore.ignores(`${root}/b.ts`, root)).toBe(false);
    expect(await ignore.ignores(`${root}/../c.ts`, root)).toBe(false);
  });
});
