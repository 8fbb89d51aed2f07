import { afterAll, beforeAll, expect, it } from 'vitest';
import { dropBrokenSyntax } from '../../../../../../server/src/completion/postprocess/judge/broken-syntax.js';
import type { SyntaxTrees } from '../../../../../../server/src/syntax/syntax-trees.js';
import { filterInput } from '../../../../../support/code/filter-input.js';
import { parsedCursorSyntax, syntaxTrees } from '../../../../../support/code/grammars.js';

let trees: SyntaxTrees;
beforeAll(() => {
  trees = syntaxTrees();
});
afterAll(() => trees.dispose());

const drop = async (document: string, text: string, languageId = 'typescript') =>
  dropBrokenSyntax(filterInput(document, text, { syntax: await parsedCursorSyntax(trees, document, languageId) }));

it.each([
  ['typescript', 'const a = 1;\n║\n', 'const = = 2;'],
  ['typescript', 'f(a);\n║\n', '});'],
  ['typescript', 'const a = ║;\n', 'b))'],
  ['python', 'def f():\n    ║\n', 'return )'],
  ['python', 'def f(\n    a,\n    ║\n)\n', ') -> int:'],
  ['typescript', 'f("║ x");\n', 'a", b'],
  ['json', '{\n  "a": 1,\n  ║\n  "b": 2\n}\n', '"c" = 3'],
])('in %s %j, drops %j', async (languageId, document, text) => {
  expect(await drop(document, text, languageId)).toBe('');
});

it.each([
  ['typescript', 'const a = ║\n', '1;'],
  ['typescript', '║\n', 'if (a) {'],
  ['typescript', '║\n', 'items.map((item) => {\n  f(item'],
  ['typescript', 'return a ║\n', '&&'],
  ['typescript', 'const = = 2;\n║\n', 'f();'],
  ['typescript', '// It is ║\n', 'not = = code'],
  ['typescript', 'function f(║)\n', 'a: string) {\n  return a;'],
  ['typescript', 'function f(║)\n', 'a: string) {\n  if (a) {\n    return a;'],
  ['python', '║\n', 'def f(a):'],
  ['typescript', 'f(\n  g(\n    a,\n  ║\n);\n', ')'],
  ['typescript', 'f("║")\n', 'a", b);'],
  ['typescript', 'f("║")\n', 'a b = ='],
  ['python', 'if a:\n    b()\n║\n', 'else:\n    c()'],
])('in %s %j, leaves %j alone', async (languageId, document, text) => {
  expect(await drop(document, text, languageId)).toBe(text);
});

it('passes everything without a grammar', () => {
  expect(dropBrokenSyntax(filterInput('║\n', 'const = = 2;'))).toBe('const = = 2;');
});
