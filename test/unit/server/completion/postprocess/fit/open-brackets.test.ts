import { afterAll, beforeAll, expect, it } from 'vitest';
import { closeOpenBrackets } from '../../../../../../server/src/completion/postprocess/fit/open-brackets.js';
import type { SyntaxTrees } from '../../../../../../server/src/syntax/syntax-trees.js';
import { filterInput } from '../../../../../support/code/filter-input.js';
import { parsedCursorSyntax, syntaxTrees } from '../../../../../support/code/grammars.js';

let trees: SyntaxTrees;
beforeAll(() => {
  trees = syntaxTrees();
});
afterAll(() => trees.dispose());

const close = async (document: string, text: string, finished = true) =>
  closeOpenBrackets(filterInput(document, text, { finished, syntax: await parsedCursorSyntax(trees, document) }));

it.each([
  ['const a = ║\n', 'f(b', 'f(b)'],
  ['const a = ║\n', 'f([b, g(c', 'f([b, g(c)])'],
  ['a.push(║\n', 'b', 'b)'],
])('in %j, makes %j %j', async (document, text, expected) => {
  expect(await close(document, text)).toBe(expected);
});

it.each([
  ['const a = ║\n', 'f(b)'],
  ['const a = ║\n', 'f('],
  ['const a = ║\n', 'f(b,'],
  ['const a = ║\n', 'f((b) => {'],
  ['const a = ║\n', 'f(b\n'],
  ['const a = ║)\n', 'f(b'],
  ['const a = ║\n  c);\n', 'f(b'],
  ['// a ║\n', 'f(b'],
])('in %j, leaves %j alone', async (document, text) => {
  expect(await close(document, text)).toBe(text);
});

it('leaves a text that a limit cut off, or that has no grammar', async () => {
  expect(await close('const a = ║\n', 'f(b', false)).toBe('f(b');
  expect(closeOpenBrackets(filterInput('const a = ║\n', 'f(b'))).toBe('f(b');
});
