import { describe, expect, it } from 'vitest';
import { refuseTrigger, type TriggerFacts } from '../../../../../server/src/completion/trigger/trigger-policy.js';

const TYPING: TriggerFacts = {
  trigger: 'automatic',
  mode: 'automatic',
  languageRefusal: null,
  scope: 'code',
  scopeEnabled: true,
  lastEdit: 'typed',
  movedSinceEdit: false,
  recentMoves: 0,
  linePrefix: 'const a = ',
  lineSuffix: '',
  selected: false,
};

describe('an automatic request', () => {
  it.each([
    ['is followed while typing', {}, null],
    ['is followed in a document that nobody has edited', { lastEdit: null }, null],
    ['is followed after a new line', { lastEdit: 'newLine' }, null],
    ['is followed before a closing bracket', { lineSuffix: ');' }, null],
    ['is not in manual mode', { mode: 'manual' }, 'manualMode'],
    ['is not in a language that is off', { languageRefusal: 'languageDisabled' }, 'languageDisabled'],
    ['is not in a language that the model does not know', { languageRefusal: 'languageUnknown' }, 'languageUnknown'],
    ['is not in a scope that is off', { scope: 'comment', scopeEnabled: false }, 'scopeDisabled'],
    ['is not after undo', { lastEdit: 'undone' }, 'afterUndo'],
    ['is not after pasting', { lastEdit: 'pasted' }, 'afterPaste'],
    ['is not after deleting', { lastEdit: 'deleted' }, 'afterDeletion'],
    ['is not after a change at several places', { lastEdit: 'replaced' }, 'afterReplacement'],
    ['is followed where the cursor went after deleting', { lastEdit: 'deleted', movedSinceEdit: true }, null],
    ['is followed for the selected item', { lastEdit: 'deleted', selected: true }, null],
    ['is not while the cursor wanders', { movedSinceEdit: true, recentMoves: 4 }, 'movingCursor'],
    ['is not inside a word', { lineSuffix: 'bc' }, 'insideWord'],
    ['is not inside a word of any script', { lineSuffix: 'é' }, 'insideWord'],
    ['is not in a line of machine-made length', { linePrefix: 'x'.repeat(1001) }, 'lineTooLong'],
  ] as [string, Partial<TriggerFacts>, string | null][])('%s', (_name, change, refusal) => {
    expect(refuseTrigger({ ...TYPING, ...change })).toBe(refusal);
  });
});

it('is always followed when the user asks', () => {
  const worst: TriggerFacts = {
    trigger: 'invoked',
    mode: 'manual',
    languageRefusal: 'languageUnknown',
    scope: 'string',
    scopeEnabled: false,
    lastEdit: 'undone',
    movedSinceEdit: false,
    recentMoves: 9,
    linePrefix: 'x'.repeat(2000),
    lineSuffix: 'abc',
    selected: false,
  };
  expect(refuseTrigger(worst)).toBeNull();
});
