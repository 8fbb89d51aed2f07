import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SecretDocuments } from '../../../../../server/src/context/admission/secret-documents.js';
import { SILENT } from '../../scripted-engine.js';

let folder: string;
let secrets: SecretDocuments;
let warnings: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'inkling-secrets-'));
  warnings = [];
  secrets = new SecretDocuments({ ...SILENT, warn: (line) => warnings.push(line) });
});

afterEach(() => rmSync(folder, { recursive: true }));

function uriOf(name: string): string {
  return pathToFileURL(join(folder, name)).href;
}

function file(name: string): void {
  mkdirSync(join(folder, name, '..'), { recursive: true });
  writeFileSync(join(folder, name), 'KEY=1\n');
}

describe('an open document may hold secrets', () => {
  it('by its name, at once', () => {
    secrets.open(uriOf('.env'));
    expect(secrets.mayHoldSecrets(uriOf('.env'))).toBe(true);
  });

  it('until its real place is known', async () => {
    file('notes.txt');
    secrets.open(uriOf('notes.txt'));
    expect(secrets.mayHoldSecrets(uriOf('notes.txt'))).toBe(true);
    await expect.poll(() => secrets.mayHoldSecrets(uriOf('notes.txt'))).toBe(false);
  });

  it.each([
    ['.env', 'settings.txt'],
    ['.ssh/config', 'config.txt'],
    ['deploy/id_rsa', 'key.txt'],
  ])('as a link to %s', async (target, link) => {
    file(target);
    file('plain.txt');
    symlinkSync(join(folder, target), join(folder, link));
    // The second link of a chain.
    symlinkSync(join(folder, link), join(folder, 'further.txt'));
    for (const name of [link, 'further.txt', 'plain.txt']) secrets.open(uriOf(name));
    await expect.poll(() => secrets.mayHoldSecrets(uriOf('plain.txt'))).toBe(false);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect([link, 'further.txt'].map((name) => secrets.mayHoldSecrets(uriOf(name)))).toEqual([true, true]);
  });

  it('in a folder that is a link', async () => {
    file('.aws/config.txt');
    symlinkSync(join(folder, '.aws'), join(folder, 'cloud'));
    file('plain.txt');
    secrets.open(uriOf('cloud/config.txt'));
    secrets.open(uriOf('plain.txt'));
    await expect.poll(() => secrets.mayHoldSecrets(uriOf('plain.txt'))).toBe(false);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(secrets.mayHoldSecrets(uriOf('cloud/config.txt'))).toBe(true);
  });

  it('where its place cannot be found out', async () => {
    const name = `${'a'.repeat(300)}.txt`;
    secrets.open(uriOf(name));
    await expect.poll(() => warnings).toEqual([expect.stringMatching(/a\.txt counts as secret/)]);
    expect(secrets.mayHoldSecrets(uriOf(name))).toBe(true);
  });

  it('when it is not open', () => {
    expect(secrets.mayHoldSecrets(uriOf('notes.txt'))).toBe(true);
    secrets.open('untitled:a');
    secrets.close('untitled:a');
    expect(secrets.mayHoldSecrets('untitled:a')).toBe(true);
  });
});

it('a document that is new, or not on this disk, is judged by its name', async () => {
  for (const uri of ['untitled:a', 'vscode-remote://box/work/a.ts', 'vscode-remote://box/work/id_rsa']) {
    secrets.open(uri);
  }
  expect(secrets.mayHoldSecrets('untitled:a')).toBe(false);
  expect(secrets.mayHoldSecrets('vscode-remote://box/work/a.ts')).toBe(false);
  expect(secrets.mayHoldSecrets('vscode-remote://box/work/id_rsa')).toBe(true);
  secrets.open(uriOf('new/never-saved.ts'));
  await expect.poll(() => secrets.mayHoldSecrets(uriOf('new/never-saved.ts'))).toBe(false);
});

it('a document that is to be saved at a path, as an editor opens a file that does not exist yet, is judged by that', () => {
  const uris = ['untitled:/work/.env', 'untitled:/work/deploy/id_rsa', 'untitled:/work/a.ts', 'untitled:c%3A%5Cwork'];
  for (const uri of uris) secrets.open(uri);
  expect(uris.map((uri) => secrets.mayHoldSecrets(uri))).toEqual([true, true, false, false]);
});
