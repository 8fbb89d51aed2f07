import { expect, it } from 'vitest';
import { answerLength } from '../../../../server/src/chat/answer-length.js';

it('an answer that is as long as a text may grow a little, and a model may have to think first', () => {
  expect(answerLength(0, 'none')).toBeGreaterThan(0);
  expect(answerLength(1_000, 'none')).toBeGreaterThan(1_000);
  expect(answerLength(1_000, 'optional')).toBe(answerLength(1_000, 'none'));
  expect(answerLength(1_000, 'always')).toBeGreaterThan(answerLength(1_000, 'none'));
});
