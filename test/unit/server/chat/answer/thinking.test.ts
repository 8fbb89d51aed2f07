import { describe, expect, test } from 'vitest';
import { ThinkingSplitter, thinkingStyle } from '../../../../../server/src/chat/answer/thinking.js';
import { CHATML, QWEN_THINKING } from '../../../../support/models/chat-templates.js';

const MARKERS = { open: '<think>', close: '</think>' };

function split(text: string, open: boolean, pieceLength: number): { thinking: string; answer: string } {
  const said = { thinking: '', answer: '' };
  const splitter = new ThinkingSplitter(MARKERS, open);
  const take = (pieces: ReturnType<ThinkingSplitter['push']>) => {
    for (const piece of pieces) if (piece.kind !== 'toolCall') said[piece.kind] += piece.text;
  };
  for (let at = 0; at < text.length; at += pieceLength) take(splitter.push(text.slice(at, at + pieceLength)));
  take(splitter.end());
  return said;
}

describe.each([1, 2, 3, 5, 8, 100])('in pieces of %i characters', (pieceLength) => {
  test.each([
    ['an answer without thinking', 'Hello', false, { thinking: '', answer: 'Hello' }],
    ['thinking that the model opens', '\n<think>hm</think>\n\nYes', false, { thinking: 'hm', answer: 'Yes' }],
    ['thinking that the prompt opened', 'hm\n</think>\n\nYes', true, { thinking: 'hm\n', answer: 'Yes' }],
    ['thinking that does not end', 'hm </thi', true, { thinking: 'hm </thi', answer: '' }],
    ['what only begins like a marker', '<thing>', false, { thinking: '', answer: '<thing>' }],
    ['a marker inside the answer', 'Use <think>x</think>.', false, { thinking: '', answer: 'Use <think>x</think>.' }],
    ['an indented answer', '    x = 1', false, { thinking: '', answer: '    x = 1' }],
    ['nothing', '', false, { thinking: '', answer: '' }],
  ])('%s', (_name, text, open, expected) => {
    expect(split(text, open, pieceLength)).toEqual(expected);
  });
});

test('the template shows whether a model thinks', () => {
  expect(thinkingStyle(CHATML).kind).toBe('none');
  expect(thinkingStyle(QWEN_THINKING)).toEqual({ kind: 'optional', markers: MARKERS });
  expect(thinkingStyle("{{ content.split('</think>')[-1] }}").kind).toBe('always');
});
