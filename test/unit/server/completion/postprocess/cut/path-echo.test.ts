import { expect, it } from 'vitest';
import { cutPathEcho } from '../../../../../../server/src/completion/postprocess/cut/path-echo.js';
import { filterInput } from '../../../../../support/code/filter-input.js';

const echo = (document: string, text: string) => cutPathEcho(filterInput(document, text, { path: 'src/cart.ts' }));

it.each([
  ['a();\n║', 'src/cart.ts\nimport x', ''],
  ['a();\n║', '// src/cart.ts', ''],
  ['a();\n║', 'b();\n// File: src/cart.ts\nimport x', 'b();'],
  ['a = ║', 'b;\n/* src/cart.ts */', 'b;'],
])('in %j, cuts %j to %j', (document, text, expected) => {
  expect(echo(document, text)).toBe(expected);
});

it.each([
  ['║', '// src/cart.ts\n'],
  ['a();\n║', '// see src/cart.ts'],
  ['import a from ║', "'src/cart.ts';"],
  ['path = ║', 'src/cart.ts'],
])('in %j, leaves %j alone', (document, text) => {
  expect(echo(document, text)).toBe(text);
});

it('needs a path', () => {
  expect(cutPathEcho(filterInput('a\n║', '// src/cart.ts'))).toBe('// src/cart.ts');
});
