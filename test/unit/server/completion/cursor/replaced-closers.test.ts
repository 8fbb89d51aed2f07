import { expect, it } from 'vitest';
import {
  countReplacedClosers,
  suffixBehindClosers,
} from '../../../../../server/src/completion/cursor/replaced-closers.js';
import { cursorContext } from '../../../../support/code/cursor-fixture.js';

it.each([
  ['function f(║)', 'a: A): B {', 1],
  ['def f(║)', 'a: list[A]) -> B:', 1],
  ['if (f(║))', 'a) && b', 1],
  ['if (f(║))', 'a)) {', 2],
  ['a[b(║)]', 'c)] = [', 2],
  ['  x║)', 'y) + z', 1],
  ['  x║))', 'y) + z', 1],
  ['f(║)', '"(") + a', 1],
  ['f(a ║)', '/ 2) + b', 1],
  ["// don't f(║)", 'a) or', 1],
  ['if (a === "(" ║)', '|| b) {', 1],
  ['def f(self, ║):', 'a: int = 1) -> int:', 2],
  ['def f(self, ║):', 'a: int = 1) -> int', 1],
  ['func f(║) {', 'a int) error {', 3],
  ['const f = (║) => {', 'a: A): B => {', 6],
  ['if (║) {', 'a) && f(() => {', 1],
  ['f(/[(]/, ║)', 'a) + b', 1],
  ["  method: '║'", "GET',", 1],
  ["f({ method: '║'})", "GET', url: '/' })", 3],
  ["f({ method: '║'})", "GET' }", 2],
  ["f({ method: '║'})", "GET',", 1],
  ['print("║")', 'a %s" % b)', 2],
  ['print("║");', 'a", b);', 3],
  ['f({║});', ' a: 1 }, c);', 3],
  ['f(║),', 'a)(b),', 2],
  ["x = '║'", "a' + 'b' + c", 1],
])('in %j, %j replaces %i closers', (document, text, count) => {
  expect(countReplacedClosers(text, cursorContext(document), 'typescript')).toBe(count);
});

it.each([
  ['f(║)', 'a, b'],
  ['f(║)', 'g(1), h(2)'],
  ['f(║', 'a) + b'],
  ['f(║, b)', 'a) + c'],
  ['f(g(║)', 'a), b'],
  ['f(║]', 'a) + b'],
  ['if (a) {║}', ' b(c); '],
  ['f(║)', '"1) first"'],
  ['f("a", ║)', '"1) fir'],
  ["x = '║'", "a' + 'b"],
  ["x = '║'", 'a'],
  ["x = '║'", "a\\'b"],
  ["x = '║ b'", "a', c"],
  ["x = '(║'", 'a)'],
  ['return f(║', 'a);'],
  ['x = a║;', '();'],
  ['f(║)', 'a /* ) */'],
])('in %j, %j replaces none', (document, text) => {
  expect(countReplacedClosers(text, cursorContext(document), 'typescript')).toBe(0);
});

it('knows the strings of the language', () => {
  expect(countReplacedClosers("don't) + 1", cursorContext('f(║)'), 'markdown')).toBe(1);
  expect(countReplacedClosers('"1) first"', cursorContext('println(║)'), 'kotlin')).toBe(0);
});

it.each([
  ['    "║"', '""Returns the sum.', 1],
  ['    "║"', '""', 1],
  ['    "║"', '""Returns the sum."""', 1],
  // The editor's own quote ends it.
  ['    "║"', '""Returns the sum.""', 0],
  ['    "║"', 'the sum', 0],
  ['    "a║"', '""b', 0],
])('in %j, %j replaces %i quotes', (document, text, count) => {
  expect(countReplacedClosers(text, cursorContext(document), 'python')).toBe(count);
});

it.each([
  ['def f(║)\n', '\n'],
  ['a(b[c(║)])  \nd', '  \nd'],
  ['a(b[║])', ''],
])('hides the added closers of %j from the model', (document, suffix) => {
  expect(suffixBehindClosers(cursorContext(document))).toBe(suffix);
});

it.each([
  ['f(a, ║b)\n', 'b)\n'],
  ['f(║);\n', ');\n'],
  ['  x║)\n', ')\n'],
  ['f([║)]\n', ')]\n'],
  ['x = ║\n', '\n'],
])('shows the model all of what follows in %j', (document, suffix) => {
  expect(suffixBehindClosers(cursorContext(document))).toBe(suffix);
});
