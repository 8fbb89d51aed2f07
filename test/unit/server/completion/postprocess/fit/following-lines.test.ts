import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { trimFollowingLines } from '../../../../../../server/src/completion/postprocess/fit/following-lines.js';
import type { SyntaxTrees } from '../../../../../../server/src/syntax/syntax-trees.js';
import { filterInput } from '../../../../../support/code/filter-input.js';
import { parsedCursorSyntax, syntaxTrees } from '../../../../../support/code/grammars.js';

let trees: SyntaxTrees;
beforeAll(() => {
  trees = syntaxTrees();
});
afterAll(() => trees.dispose());

describe.each(['with', 'without'])('%s a grammar', (grammar) => {
  const trim = async (document: string, text: string) => {
    const more = grammar === 'with' ? { syntax: await parsedCursorSyntax(trees, document) } : {};
    return trimFollowingLines(filterInput(document, text, more));
  };

  it.each([
    ['║\ntotal();\n', 'total();', ''],
    ['║\n\ntotal();\nsum();\n', 'total();\nsum();', ''],
    ['  ║\n  total();\n', 'sum();\n  total();', 'sum();'],
    ['const a = ║\nconst b = 2;\n', '1;\nconst b = 2;', '1;'],
    ['e║\n\nexport function total(): number {\n  return 1;\n}\n', 'xport function total(): number {', ''],
  ])('in %j, makes %j %j', async (document, text, expected) => {
    expect(await trim(document, text)).toBe(expected);
  });

  it.each([
    ['║\ntotal();\n', 'totals();'],
    ['║\n  total();\n', 'total();'],
    ['if (a) {\n  if (b) {║\n}\n', '\n    c();\n  }'],
    ['total(║\ntotal();\n', 'a);'],
    ['push(║\npush(first);\n', 'first);'],
    ['i║\nif (a) {\n}\n', 'f (b) {'],
  ])('in %j, leaves %j alone', async (document, text) => {
    expect(await trim(document, text)).toBe(text);
  });
});

it('sees with the grammar that a bracket is already closed', async () => {
  const trim = async (document: string, text: string) =>
    trimFollowingLines(filterInput(document, text, { syntax: await parsedCursorSyntax(trees, document) }));
  expect(await trim('function f() {║\n}\n', '\n  return 1;\n}')).toBe('\n  return 1;');
  expect(await trim('if (a) {\n  f(() => {║\n}\n', '\n    b();\n  });\n}')).toBe('\n    b();\n  });');
});
