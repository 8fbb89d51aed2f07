import { expect, it } from 'vitest';
import { sensibleEnds, type TextPlace } from '../../../../../server/src/completion/confidence/sensible-ends.js';

const CODE: TextPlace = { languageId: 'typescript', scope: 'code', linePrefix: '' };

function beginnings(text: string, place: Partial<TextPlace> = {}): readonly string[] {
  return sensibleEnds(text, { ...CODE, ...place }).map((end) => text.slice(0, end));
}

it.each([
  ['fooBar.baz', ['fooBar', 'fooBar.baz']],
  ['a = b', ['a', 'a = b']],
  ['x);\n  return y', ['x', 'x)', 'x);', 'x);\n  return y']],
  ['\n  return y;\n  z();', ['\n  return', '\n  return y', '\n  return y;', '\n  return y;\n  z();']],
  ['(): A {\n  return a;\n}', ['()', '():', '(): A', '(): A {', '(): A {\n  return a;', '(): A {\n  return a;\n}']],
  ['größe + 1', ['größe', 'größe + 1']],
  // The accent is a character of its own.
  ['cafe\u0301 + 1', ['cafe\u0301', 'cafe\u0301 + 1']],
  ['', []],
  ['(', ['(']],
])('%j may end behind a word, a statement or a line', (text, expected) => {
  expect(beginnings(text)).toEqual(expected);
});

it.each([
  ['sum(a, b);', ['sum', 'sum(a', 'sum(a,', 'sum(a, b', 'sum(a, b)', 'sum(a, b);']],
  ['sum(a + b.c, d)', ['sum', 'sum(a + b.c', 'sum(a + b.c,', 'sum(a + b.c, d', 'sum(a + b.c, d)']],
  ['all[a + b]', ['all', 'all[a + b', 'all[a + b]']],
  ['f(\n  a + b\n)', ['f', 'f(\n  a + b', 'f(\n  a + b\n)']],
  [
    'on(() => {\n  go.on();\n});',
    ['on', 'on(() => {', 'on(() => {\n  go.on();', 'on(() => {\n  go.on();\n})', 'on(() => {\n  go.on();\n});'],
  ],
])('%j ends in its own brackets behind an argument only', (text, expected) => {
  expect(beginnings(text)).toEqual(expected);
});

it.each([
  ['नमस्ते दुनिया', ['नमस्ते', 'नमस्ते दुनिया']],
  ['می\u200cخواهم که', ['می\u200cخواهم', 'می\u200cخواهم که']],
  ['1️⃣ 👩‍💻 ☺️ x', ['1️⃣', '1️⃣ 👩‍💻 ☺️', '1️⃣ 👩‍💻 ☺️ x']],
])('%j is not cut within a word or an emoji', (text, expected) => {
  expect(beginnings(text, { languageId: 'markdown', scope: 'comment' })).toEqual(expected);
});

it('ends behind any word in brackets that were open before', () => {
  expect(beginnings('a + b.c)', { linePrefix: 'sum(' })).toEqual(['a', 'a + b', 'a + b.c', 'a + b.c)']);
});

it.each([
  ["'use strict';", ["'use strict'", "'use strict';"], 'typescript'],
  [
    'say("a b" + "c d", e)',
    ['say', 'say("a b" + "c d"', 'say("a b" + "c d",', 'say("a b" + "c d", e', 'say("a b" + "c d", e)'],
    'typescript',
  ],
  ["it's", ['it', "it's"], 'typescript'],
  ['`a b` + c', ['`a b`', '`a b` + c'], 'typescript'],
  ['a = "b\\" c" + d', ['a', 'a = "b\\" c"', 'a = "b\\" c" + d'], 'typescript'],
  [
    '"""Adds two\n\n    More of it."""\n    return',
    ['"""Adds two', '"""Adds two\n\n    More of it."""', '"""Adds two\n\n    More of it."""\n    return'],
    'python',
  ],
  ["# don't stop", ['# don', "# don'", "# don't", "# don't stop"], 'python'],
])('%j is not cut behind a quote that it opens, nor inside', (text, expected, languageId) => {
  expect(beginnings(text, { languageId })).toEqual(expected);
});

it.each([
  ['on its line', "not found'); a", { linePrefix: "throw new Error('" }],
  ['above', "not found', a", { scope: 'string' as const, languageId: 'python' }],
])('ends behind any word of a string that was open before, %s', (_where, text, place) => {
  expect(beginnings(text, place).slice(0, 2)).toEqual(['not', 'not found']);
});

it('ends behind any word of a string that was open before, on its second line too', () => {
  const place = { scope: 'string' as const, languageId: 'python' };
  expect(beginnings('first\nsecond line."""\nx = "a b"', place)).toEqual([
    'first',
    'first\nsecond',
    'first\nsecond line',
    'first\nsecond line."""',
    'first\nsecond line."""\nx',
    'first\nsecond line."""\nx = "a b"',
  ]);
});

it('takes apostrophes in a comment for no strings', () => {
  const place = { scope: 'comment' as const, linePrefix: '// I ' };
  expect(beginnings("don't stop", place)).toEqual(['don', "don'", "don't", "don't stop"]);
});
