import { expect, it } from 'vitest';
import { shownText } from '../../../../server/src/util/json.js';

it('shows the start of a text in one line, up to a whole character', () => {
  expect(shownText(' a\r\n\tb ')).toBe('a b');
  expect(shownText('x'.repeat(200))).toBe('x'.repeat(200));
  expect(shownText('x'.repeat(201))).toBe(`${'x'.repeat(197)}...`);
  expect(shownText(`${'x'.repeat(196)}${'\u{1F600}'.repeat(9)}`)).toBe(`${'x'.repeat(196)}...`);
  // Blanks that go may bring the place where the reading ended into sight.
  expect(shownText(`${' '.repeat(799)}\u{1F600}`)).toBe('');
});
