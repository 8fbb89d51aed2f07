import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { GitIgnore } from '../../../../../server/src/context/admission/git-ignore.js';
import { userIgnoreFile } from '../../../../../server/src/context/admission/user-ignore-file.js';
import { pathFromFileSystem } from '../../../../../server/src/context/files/file-location.js';
import { TemporaryFolder } from '../../../../support/temporary-folder.js';
import { SILENT } from '../../scripted-engine.js';

let folder: TemporaryFolder;

beforeEach(() => {
  folder = new TemporaryFolder();
});

afterEach(() => {
  vi.unstubAllEnvs();
  folder.dispose();
});

function write(name: string, text: string): void {
  mkdirSync(path.dirname(folder.file(name)), { recursive: true });
  writeFileSync(folder.file(name), text);
}

describe("the user's own rules", () => {
  const CONFIGURATIONS: readonly (readonly [file: string, text: string, rules: string])[] = [
    ['none', '', '.config/git/ignore'],
    ['.gitconfig', '[core]\n\texcludesFile = ~/.ignored\n', '.ignored'],
    ['.gitconfig', '[user]\n\tname = a\n[CORE]\n  excludesfile="~/my rules" # mine\n', 'my rules'],
    ['.gitconfig', '[core]\nexcludesFile = ~/first\nexcludesFile = ~/last ; mine\n', 'last'],
    ['.config/git/config', '[core]\n\texcludesFile = ~/.ignored\n', '.ignored'],
    ['.gitconfig', '[other]\n\texcludesFile = ~/.ignored\n', '.config/git/ignore'],
    ['.gitconfig', '[core "a"]\n\texcludesFile = ~/.ignored\n', '.config/git/ignore'],
    ['.gitconfig', '# excludesFile = ~/.ignored\n', '.config/git/ignore'],
  ];

  it.each(CONFIGURATIONS)('are those that git follows: %s says %j', async (file, text, rules) => {
    const work = folder.file('work');
    execFileSync('git', ['init', '-q', work]);
    write(file, text);
    write(rules, 'private/\nkept/\n');
    write('work/.gitignore', '!kept/\n');
    vi.stubEnv('HOME', folder.path);
    vi.stubEnv('USERPROFILE', folder.path);
    vi.stubEnv('XDG_CONFIG_HOME', undefined);
    vi.stubEnv('GIT_CONFIG_GLOBAL', undefined);
    const find = () => userIgnoreFile(process.env, folder.path);
    expect(await find()).toBe(pathFromFileSystem(folder.file(rules)));
    const root = pathFromFileSystem(work);
    const ignore = new GitIgnore(SILENT, find);
    for (const [name, expected] of [
      ['private/a.ts', true],
      ['kept/a.ts', false],
      ['a.ts', false],
    ] as const) {
      expect(spawnSync('git', ['-C', work, 'check-ignore', '-q', name]).status === 0).toBe(expected);
      expect(await ignore.ignores(`${root}/${name}`, root)).toBe(expected);
    }
  });

  it('may be a link, as programs that keep configurations make it', async () => {
    execFileSync('git', ['init', '-q', folder.file('work')]);
    write('kept/ignore', 'private/\n');
    mkdirSync(folder.file('.config/git'), { recursive: true });
    symlinkSync(folder.file('kept/ignore'), folder.file('.config/git/ignore'));
    const root = pathFromFileSystem(folder.file('work'));
    const ignore = new GitIgnore(SILENT, () => userIgnoreFile({}, folder.path));
    expect(await ignore.ignores(`${root}/private/a.ts`, root)).toBe(true);
    expect(await ignore.ignores(`${root}/a.ts`, root)).toBe(false);
  });

  it('may be none, as /dev/null is', async () => {
    mkdirSync(folder.file('rules'));
    const root = pathFromFileSystem(folder.path);
    for (const none of ['/dev/null', `${root}/rules`, `${root}/nowhere`]) {
      expect(await new GitIgnore(SILENT, async () => none).ignores(`${root}/a.ts`, root), none).toBe(false);
    }
  });

  it('are where the variables of git say', async () => {
    const home = '/home/a';
    write('config', '[core]\nexcludesFile = /rules\n');
    expect(await userIgnoreFile({ XDG_CONFIG_HOME: '/own' }, home)).toBe('/own/git/ignore');
    expect(await userIgnoreFile({ GIT_CONFIG_GLOBAL: folder.file('config') }, home)).toBe('/rules');
    expect(await userIgnoreFile({ GIT_CONFIG_GLOBAL: folder.file('none') }, home)).toBe('/home/a/.config/git/ignore');
  });
});
