import { expect, test } from 'vitest';
import { codeHoles } from '../../../bench/samples/code-holes.js';

test('takes out the body of each block of two lines and more', () => {
  const source = ['function f() {', '  a();', '  b();', '}', 'if (x) {', '  c();', '}', ''].join('\n');
  expect(codeHoles(source)).toEqual([{ prefix: 'function f() {\n', suffix: '}\nif (x) {\n  c();\n}\n' }]);
});

test('knows blocks that begin with a colon, and nested ones', () => {
  const source = ['class A:', '    def f(self):', '        a()', '        b()', 'c()'].join('\n');
  expect(codeHoles(source).map(({ suffix }) => suffix)).toEqual(['c()', 'c()']);
});

test('finds nothing in an empty file', () => {
  expect(codeHoles('')).toEqual([]);
});
