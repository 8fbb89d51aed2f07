import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { haveSameLines } from '../../../../server/protocol/index.js';
import { property } from '../../../support/faults/property.js';

describe('two texts', () => {
  const text = fc.array(fc.constantFrom('a', '\n', '\r', '\r\n'), { maxLength: 6 }).map((parts) => parts.join(''));
  property(
    'have the same lines if they are equal line by line',
    fc.record({ one: text, other: text }),
    ({ one, other }) => {
      const [lines, others] = [one, other].map((each) => JSON.stringify(each.split(/\r\n|\r|\n/)));
      expect(haveSameLines(one, other)).toBe(lines === others);
    },
    { runs: 300 },
  );

  it.each([
    ['a\r\nb\n', 'a\nb\r\n', true],
    ['a\r\n', 'a\n\n', false],
    ['a', 'a\n', false],
  ])('%j and %j', (one, other, expected) => {
    expect(haveSameLines(one, other)).toBe(expected);
  });
});
