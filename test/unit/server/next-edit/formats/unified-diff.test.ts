import { expect, it } from 'vitest';
import { unifiedDiff } from '../../../../../server/src/next-edit/formats/unified-diff.js';

it.each([
  ['a changed line', 'a\nb\nc\n', 'a\nB\nc\n', '@@ -7,3 +7,3 @@\n a\n-b\n+B\n c\n'],
  ['an inserted line', 'a\nc', 'a\nb\nc', '@@ -7,2 +7,3 @@\n a\n+b\n c\n'],
  ['a removed line', 'a\nb\nc\n', 'a\nc\n', '@@ -7,3 +7,2 @@\n a\n-b\n c\n'],
  ['two changes', 'a\nb\nc\nd\n', 'A\nb\nc\nD\n', '@@ -7,4 +7,4 @@\n-a\n+A\n b\n c\n-d\n+D\n'],
  ['a first text', '', 'a\n', '@@ -7,0 +7,1 @@\n+a\n'],
])('shows %s', (_, original, updated, diff) => {
  expect(unifiedDiff(original, updated, 7)).toBe(diff);
});

it('shows long texts as one change', () => {
  const text = (word: string) => Array.from({ length: 1_000 }, (_, index) => `${word} ${index % 3}`).join('\n');
  const diff = unifiedDiff(text('a'), text('b'), 1);
  expect(diff.match(/^-/gm)).toHaveLength(1_000);
  expect(diff.match(/^\+/gm)).toHaveLength(1_000);
});
