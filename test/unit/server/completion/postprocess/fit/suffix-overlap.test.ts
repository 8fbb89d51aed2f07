import { afterAll, beforeAll, expect, it } from 'vitest';
import { trimSuffixOverlap } from '../../../../../../server/src/completion/postprocess/fit/suffix-overlap.js';
import type { SyntaxTrees } from '../../../../../../server/src/syntax/syntax-trees.js';
import { filterInput } from '../../../../../support/code/filter-input.js';
import { parsedCursorSyntax, syntaxTrees } from '../../../../../support/code/grammars.js';

let trees: SyntaxTrees;
beforeAll(() => {
  trees = syntaxTrees();
});
afterAll(() => trees.dispose());

it.each([
  ['f(║, b)', 'a, b)', 'a'],
  ['const x = ║;', 'f();', 'f()'],
  ['return ║ + total;', 'sum + total;', 'sum'],
  ['import { ║ } from "fs";', 'readFile } from "fs";', 'readFile'],
  ['f(║, second)', 'first,second)', 'first'],
  ['return ║ + total;', 'sum+total', 'sum'],
  ["import { ║ } from 'fs';", 'readFile} from "fs"', 'readFile'],
])('in %j, cuts %j to %j', (document, text, expected) => {
  expect(trimSuffixOverlap(filterInput(document, text))).toBe(expected);
});

it.each([
  ['const x = f(║)', 'g(1)'],
  ['║name', 'file_name'],
  ['f(║)', 'a, b'],
  ['x = ║', 'a;'],
  ['║total', 'sub_total'],
  ['def ║_init__(self):', 'def _'],
  ['f(║, a)', 'b, aa)'],
])('in %j, leaves %j alone', (document, text) => {
  expect(trimSuffixOverlap(filterInput(document, text))).toBe(text);
});

it.each([
  ['typescript', 'if (║) {\n}\n', 'a && b) {', 'a && b'],
  ['typescript', 'if (║) {\n}\n', 'f(a)) {', 'f(a)'],
  ['typescript', 'switch (a) {\n  case ║:\n}\n', "'b':", "'b'"],
  ['typescriptreact', 'const a = (\n  <div b="║">\n  </div>\n);\n', 'c">', 'c'],
  ['typescriptreact', 'const a = <A ║ />;\n', 'b={1} />', 'b={1}'],
  ['typescript', 'const a = new Map<║>();\n', 'string, number>()', 'string, number'],
  ['typescript', 'f(function (║) {\n});\n', 'a) {}, function (b) {', 'a) {}, function (b'],
  ['python', 'def f(║):\n    pass\n', 'a: int = 1):', 'a: int = 1'],
  ['json', '{ "a": "║" }\n', 'b" }', 'b'],
  ['typescript', "f({ a: '║' });\n", "b' });", 'b'],
  ['go', 'package a\n\nfunc f(║) {\n}\n', 'a int) {', 'a int'],
])('in %s %j, cuts the signs at the end of %j', async (languageId, document, text, expected) => {
  const syntax = await parsedCursorSyntax(trees, document, languageId);
  expect(trimSuffixOverlap(filterInput(document, text, { syntax }))).toBe(expected);
});

it.each([
  ['typescript', 'f(a, ║);\n', 'g(b);'],
  ['typescript', 'const a = [║];\n', 'b[0];'],
  ['typescript', "f({ a: '║' });\n", "b', c: { d: 'e' }"],
  ['typescript', 'f({ a: [║] });\n', '{ b: [c] }'],
  ['python', 'f(║)[a:]\n', 'b[c:]'],
  ['python', 'x = {║: 1}\n', '"a"'],
])('in %s %j, leaves the signs at the end of %j alone', async (languageId, document, text) => {
  const syntax = await parsedCursorSyntax(trees, document, languageId);
  expect(trimSuffixOverlap(filterInput(document, text, { syntax }))).toBe(text);
});
