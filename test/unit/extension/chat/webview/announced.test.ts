import { describe, expect, it } from 'vitest';
import { announced } from '../../../../../extension/src/chat/webview/announced.js';
import type { TurnView } from '../../../../../extension/src/chat/webview/messages.js';

const turn = (id: string, state: TurnView['state'], more: Partial<TurnView> = {}): TurnView => ({
  ...{ id, state, question: 'Why?', attachments: [], answer: 'So.', thinking: '', error: null, remark: null },
  ...more,
});

describe('a screen reader hears', () => {
  it.each<[string, TurnView, readonly TurnView[], string | null]>([
    ['that a new question is answered', turn('b', 'running'), [turn('a', 'complete')], 'Answering'],
    ['what it waits for', turn('a', 'running', { remark: 'Waiting.' }), [], 'Waiting.'],
    ['the answer', turn('a', 'complete'), [turn('a', 'running')], 'So.'],
    ['that there is none', turn('a', 'complete', { answer: '' }), [turn('a', 'running')], 'No answer.'],
    [
      'that it was stopped',
      turn('a', 'stopped', { answer: '', remark: 'Stopped.' }),
      [turn('a', 'running', { remark: 'Waiting.' })],
      'Stopped.',
    ],
    [
      'that it was cut off, and then the answer',
      turn('a', 'cutOff', { remark: 'Cut off: the answer reached its length limit.' }),
      [turn('a', 'running')],
      'Cut off: the answer reached its length limit. So.',
    ],
    ['why it failed', turn('a', 'failed', { error: 'Too long.' }), [turn('a', 'running')], 'Too long.'],
    ['nothing twice', turn('a', 'running'), [turn('a', 'running')], null],
    ['nothing old of a page that opens', turn('a', 'complete'), [], null],
    [
      'nothing old of a conversation that opens in place of another',
      turn('b', 'stopped'),
      [turn('a', 'complete')],
      null,
    ],
    ['nothing old in place of what was running', turn('b', 'complete'), [turn('a', 'running')], null],
  ])('%s', (_name, now, shown, heard) => {
    expect(announced(now, shown)).toBe(heard);
  });

  it('a part of a long answer, up to a whole character', () => {
    const long = turn('a', 'complete', { answer: `${'x'.repeat(599)}\u{1F600}` });
    expect(announced(long, [turn('a', 'running')])).toBe('x'.repeat(599));
  });
});
