import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { copyGrammars, WASM_FILES } from '../../../server/grammars.mjs';
import { TemporaryFolder } from '../../support/temporary-folder.js';

const folder = new TemporaryFolder();
beforeAll(() => copyGrammars(folder.path));
afterAll(() => folder.dispose());

test('each grammar is copied, and nothing else is left there', () => {
  expect(readdirSync(folder.path).sort()).toEqual(WASM_FILES.map((file) => path.basename(file)).sort());
});

// As `0.27.1` and `0.27.2` are.
test('a file of another version is replaced, though it is as long', () => {
  const file = folder.file('web-tree-sitter.cjs');
  const present = readFileSync(file);
  writeFileSync(file, Buffer.alloc(present.length, 'x'));
  copyGrammars(folder.path);
  expect(readFileSync(file).equals(present)).toBe(true);
});

test('a file that is in place stays', () => {
  const file = folder.file('web-tree-sitter.wasm');
  const { ino } = statSync(file);
  copyGrammars(folder.path);
  expect(statSync(file).ino).toBe(ino);
});
