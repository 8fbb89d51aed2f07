import { expect, it } from 'vitest';
import { explainOutcome } from '../../../../../server/src/completion/feedback/explain-outcome.js';
import type { Suggestion } from '../../../../../server/src/completion/request/completion-outcome.js';

function suggested(more: Partial<Suggestion> = {}): Suggestion {
  return { id: 1, text: 'left;', start: 0, end: 0, chance: 0.756, model: 'A model', leftOut: 0, ...more };
}

it.each([
  [[suggested()], false, 'Suggested 5 characters, right with a chance of 76%.'],
  [[suggested({ leftOut: 3 })], false, 'Suggested 5 characters, right with a chance of 76%. The rest was too unsure.'],
  [[suggested({ chance: null })], false, 'Suggested 5 characters.'],
  [[suggested({ text: ';' })], false, 'Suggested one character, right with a chance of 76%.'],
  [[suggested({ text: '🎉' })], false, 'Suggested one character, right with a chance of 76%.'],
  [[suggested({ text: 'a;\r\n}' })], false, 'Suggested 4 characters, right with a chance of 76%.'],
  [[suggested()], true, 'Suggested 5 characters. The rest was not ready yet.'],
  [[suggested(), suggested()], false, 'Suggested 5 characters. Other suggestions: 1.'],
])('a suggestion: %j', (suggestions, partial, sentence) => {
  expect(explainOutcome({ kind: 'suggestions', suggestions, partial })).toBe(sentence);
});

it('one that is hidden because it is unlikely', () => {
  expect(explainOutcome({ kind: 'none', reason: 'unsure', chance: 0.04, tooShort: false })).toBe(
    'Suggestion hidden: its first words are right with a chance of only 4%.',
  );
});

it('a short one that is hidden though it is likely is not called unlikely', () => {
  expect(explainOutcome({ kind: 'none', reason: 'unsure', chance: 0.93, tooShort: true })).toBe(
    'Suggestion hidden: it is too short to be useful. It is right with a chance of 93%.',
  );
});

it.each([
  [{ reason: 'filtered', detail: 'It repeats the line above.' } as const, 'It repeats the line above.'],
  [{ reason: 'filtered' } as const, 'Suggestion hidden.'],
  [{ reason: 'engineError' } as const, 'The engine failed.'],
  [{ reason: 'engineError', detail: 'gpu-box did not answer' } as const, 'gpu-box did not answer.'],
  [{ reason: 'cancelled' } as const, 'You kept typing.'],
  [{ reason: 'modelChanged' } as const, 'The model was unloaded or replaced meanwhile.'],
])('nothing: %j', (outcome, sentence) => {
  expect(explainOutcome({ kind: 'none', ...outcome })).toBe(sentence);
});
