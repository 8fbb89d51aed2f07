import { expect, it } from 'vitest';
import { trimClosersAlreadyPresent } from '../../../../../../server/src/completion/postprocess/fit/closing-brackets.js';
import { filterInput } from '../../../../../support/code/filter-input.js';
import { parsedCursorSyntax, syntaxTrees } from '../../../../../support/code/grammars.js';

it.each([
  ['f(║)', 'a)', 'a'],
  ['f(║);', 'a);', 'a'],
  ['f(║)', 'a);', 'a'],
  ['f(g(║))', 'a))', 'a'],
  ["import x from '║'", "./x'", './x'],
  ["import x from '║'", "./x';", './x'],
  ['f(║)', 'g(1))', 'g(1)'],
  ['const { ║ }', 'a }', 'a '],
  ['a[║]', 'b[0]]', 'b[0]'],
  ['f(g(║))', 'a), g(b))', 'a), g(b)'],
  ["is('a=║'", 'b"\' in c["d', 'b"'],
  ['headers["║"]', 'a"] = "1', 'a'],
])('in %j, cuts %j to %j', (document, text, expected) => {
  expect(trimClosersAlreadyPresent(filterInput(document, text))).toBe(expected);
});

it.each([
  ['f(║)', 'g(1)'],
  ['f(║)', '"a"'],
  ['f(║', 'a);'],
  ['f(║, b)', 'a)'],
  ["x = '║'", "a' + 'b"],
  ['f("║")', 'a", "b'],
  ['f("║")', 'a") + g("b'],
  ["x = '║'", 'a" + "b'],
  ['f(() => {║})', '\n  g();\n})'],
  ['f(() => {║});', '\n  g();\n});'],
  ['x = {║}', '\n  a: 1,\n}'],
  ["f(g('║'))", "a'), 'b')"],
])('in %j, leaves %j alone', (document, text) => {
  expect(trimClosersAlreadyPresent(filterInput(document, text))).toBe(text);
});

it('leaves a closer where the present one closes a bracket of a line above', async () => {
  const trees = syntaxTrees();
  const filtered = async (document: string) =>
    trimClosersAlreadyPresent(filterInput(document, 'a)', { syntax: await parsedCursorSyntax(trees, document) }));
  expect(await filtered('total(\n  sum(║)\n')).toBe('a)');
  expect(await filtered('total(\n  sum(║)\n)\n')).toBe('a');
  trees.dispose();
});
