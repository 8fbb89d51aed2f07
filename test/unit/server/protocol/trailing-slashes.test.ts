import { expect, it } from 'vitest';
import { withoutTrailingSlashes } from '../../../../server/protocol/index.js';

it.each([
  ['http://host/', 'http://host'],
  ['http://host/a//', 'http://host/a'],
  ['//', ''],
  ['', ''],
  [`${'/'.repeat(100_000)}a`, `${'/'.repeat(100_000)}a`],
])('removes the slashes at the end (%#)', (text, expected) => {
  expect(withoutTrailingSlashes(text) === expected).toBe(true);
});
