import { chmodSync, writeFileSync } from 'node:fs';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { TextDocument } from 'vscode';
import { isReadOnly } from '../../../../extension/src/editor/read-only.js';
import { FakeDocument, fakeUser, vscode } from '../../../support/editor/fake-editor.js';
import { TemporaryFolder } from '../../../support/temporary-folder.js';

vi.mock('vscode', async () => (await import('../../../support/editor/fake-editor.js')).vscode);

const document = (path: string, scheme = 'file') =>
  new FakeDocument(path, '', new vscode.Uri(scheme, path)) as unknown as TextDocument;

beforeEach(() => void fakeUser.open());

describe('isReadOnly', () => {
  it('knows file systems that take no writes', () => {
    fakeUser.readOnlySchemes = ['vscode-vfs'];
    expect([document('/a.ts', 'vscode-vfs'), document('/a.ts')].map(isReadOnly)).toEqual([true, false]);
  });

  it.each([
    ['a glob for every folder', { '**/node_modules/**': true }, '/work/node_modules/a/b.ts', true],
    ['a glob in the workspace folder', { 'generated/**': true }, '/work/generated/a.ts', true],
    ['a glob of another place', { 'generated/**': true }, '/work/src/a.ts', false],
    ['a glob that is turned off', { '**/*.ts': false }, '/work/src/a.ts', false],
    ['what is no list of globs', 'all', '/work/src/a.ts', false],
  ])('knows files.readonlyInclude: %s', (_name, globs, path, expected) => {
    fakeUser.settings.set('files.readonlyInclude', globs);
    expect(isReadOnly(document(path))).toBe(expected);
    fakeUser.settings.set('files.readonlyExclude', { '**/*.ts': true });
    expect(isReadOnly(document(path))).toBe(false);
  });

  // Root may write to every file.
  it.skipIf(process.platform === 'win32')('asks for permissions only where VS Code does', () => {
    const folder = new TemporaryFolder();
    const file = folder.file('a.ts');
    writeFileSync(file, '');
    chmodSync(file, 0o444);
    expect(isReadOnly(document(file))).toBe(false);
    fakeUser.settings.set('files.readonlyFromPermissions', true);
    expect(isReadOnly(document(file))).toBe(process.getuid?.() !== 0);
    expect(isReadOnly(document(folder.file('missing.ts')))).toBe(false);
    folder.dispose();
  });
});
