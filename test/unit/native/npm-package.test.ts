import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { moveInto } from '../../../native/npm-package.mjs';
import { TemporaryFolder } from '../../support/temporary-folder.js';

let folder: TemporaryFolder;
beforeEach(() => {
  folder = new TemporaryFolder();
});
afterEach(() => folder.dispose());

function tree(name: string, files: Readonly<Record<string, string>>): string {
  const root = folder.file(name);
  mkdirSync(root);
  for (const [file, text] of Object.entries(files)) writeFileSync(path.join(root, file), text);
  return root;
}

describe('a fetched tree', () => {
  const fetched = { 'CMakeLists.txt': 'fetched', 'llama.cpp': 'fetched' };
  const textOf = (file: string) => readFileSync(folder.file(`place/${file}`), 'utf8');

  test('moves to its place', () => {
    moveInto(tree('scratch', fetched), folder.file('place'), 'CMakeLists.txt');
    expect(textOf('llama.cpp')).toBe('fetched');
    expect(existsSync(folder.file('scratch'))).toBe(false);
  });

  test('replaces half of one', () => {
    tree('place', { 'llama.cpp': 'half' });
    moveInto(tree('scratch', fetched), folder.file('place'), 'CMakeLists.txt');
    expect(textOf('CMakeLists.txt')).toBe('fetched');
  });

  test('leaves the one that another process has moved there', () => {
    tree('place', { 'CMakeLists.txt': 'first', 'llama.cpp': 'first' });
    moveInto(tree('scratch', fetched), folder.file('place'), 'CMakeLists.txt');
    expect(textOf('CMakeLists.txt')).toBe('first');
  });

  test('that cannot be moved is an error', () => {
    expect(() => moveInto(folder.file('missing'), folder.file('place'), 'CMakeLists.txt')).toThrow('ENOENT');
  });
});
