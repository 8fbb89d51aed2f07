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
  ['ruby', 'def a\n  ║\nend\n', 'if b)\n    c'],
  ['ruby', 'def a\n  ║\nend\n', 'b = = 1'],
  ['shellscript', 'a=1\n║\n', 'if b; then\n  c\ndone'],
  ['python', 'a = 1\n║\n', '@@'],
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
  ['ruby', 'class A\n  ║\nend\n', 'def total\n    @items.sum'],
  ['ruby', 'def a\n  ║\nend\n', 'if b'],
  ['ruby', 'def a\n  ║\nend\n', 'if b\n    c\n  else\n    d'],
  ['ruby', 'def a\n  ║\nend\n', 'items.each do |item|\n    if item.b?\n      puts item'],
  ['ruby', 'def a\n  items.each ║\nend\n', 'do |item|\n    puts item'],
  ['ruby', 'def a\n  ║\nend\n', 'expect(items.map do |item|\n    puts item'],
  ['shellscript', 'a=1\n║\n', 'for f in *; do'],
  ['shellscript', 'a=1\n║\n', 'if [ "$a" = 1 ]; then\n  echo a\nelif b; then\n  echo b'],
  ['shellscript', 'a=1\n║\n', 'while read -r b; do\n  case "$b" in\n    x) c ;;'],
  ['python', 'class A:\n    ║\n', '@property'],
  ['java', 'class A {\n    ║\n}\n', '@Deprecated(since = "1")'],
  ['typescript', 'class A {\n  ║\n}\n', '@Input()'],
  ['rust', 'fn a() {}\n\n║\n', '#[derive(Debug)]'],
])('in %s %j, leaves %j alone', async (languageId, document, text) => {
  expect(await drop(document, text, languageId)).toBe(text);
});

it('passes everything without a grammar', () => {
  expect(dropBrokenSyntax(filterInput('║\n', 'const = = 2;'))).toBe('const = = 2;');
});
