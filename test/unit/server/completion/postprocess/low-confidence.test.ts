import { expect, it } from 'vitest';
import { dropLowConfidence } from '../../../../../server/src/completion/postprocess/low-confidence.js';
import { filterInput } from '../../../../support/filter-input.js';

const drop = (text: string, logProbabilities: readonly number[], generatedLength = text.length, explicit = false) =>
  dropLowConfidence(
    filterInput('║', text, {
      confidence: { logProbabilities, healedTokens: 0, generatedLength, threshold: -1 },
      explicit,
    }),
  );

it('drops text that is unlikely on average', () => {
  expect(drop('total()', [-2, -1, -0.5])).toBe('');
  expect(drop('total()', [-2, -0.2, -0.5])).toBe('total()');
});

it('uses the shown text, not text generated behind it', () => {
  expect(drop('total()', [-0.1, -0.1, -9, -9], 14)).toBe('total()');
});

it('passes everything on request by command, or without known confidence', () => {
  expect(drop('total()', [-9], 7, true)).toBe('total()');
  expect(drop('total()', [])).toBe('total()');
  expect(dropLowConfidence(filterInput('║', 'total()'))).toBe('total()');
});
