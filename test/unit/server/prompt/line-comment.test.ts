import { expect, it } from 'vitest';
import { commentLine } from '../../../../server/src/prompt/line-comment.js';

it.each([
  ['typescript', '// a/b\n'],
  ['python', '# a/b\n'],
  ['lua', '-- a/b\n'],
  ['html', '<!-- a/b -->\n'],
  ['unheard-of', '// a/b\n'],
])('writes a comment of %s', (languageId, expected) => {
  expect(commentLine(languageId, 'a/b')).toBe(expected);
});

it('does not end before the line', () => {
  expect(commentLine('css', 'a*/b')).toBe('/* ab */\n');
});
