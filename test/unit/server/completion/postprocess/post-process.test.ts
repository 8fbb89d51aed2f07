import { expect, it } from 'vitest';
import { postProcess, runFilters } from '../../../../../server/src/completion/postprocess/post-process.js';
import { filterInput } from '../../../../support/code/filter-input.js';

it('runs the filters one after the other, and reports which changed something', () => {
  expect(postProcess(filterInput('f(║)', 'a, b); <|endoftext|>x'))).toEqual({
    kind: 'kept',
    text: 'a, b',
    changedBy: ['leakedSpecialTokens', 'closingBrackets'],
  });
});

it.each([
  ['║', '   ', 'trailingWhitespace'],
  ['f(║)', ')', 'closingBrackets'],
  ['║', '', 'nothingGenerated'],
  ['x = ║', '"', 'minimumContent'],
  ['total();\n║', 'total();', 'precedingLines'],
  ['║\ntotal();\n', 'total();', 'followingLines'],
])('at %j reports which filter removed the last of %j, in a sentence', (document, text, by) => {
  const dropped = postProcess(filterInput(document, text));
  expect(dropped).toEqual({ kind: 'dropped', by, sentence: expect.stringMatching(/^[A-Z].*\.$/), error: null });
});

it('drops the text where a filter throws, with the error', () => {
  const error = new TypeError('a bug');
  const broken = () => {
    throw error;
  };
  const dropped = runFilters(filterInput('║', 'a'), [['joint', broken, () => 'Not said.']]);
  expect(dropped).toEqual({
    kind: 'dropped',
    by: 'joint',
    sentence: 'Suggestion hidden: a check failed. The log says why.',
    error,
  });
});
