import { describe, expect, test } from 'vitest';
import type { ChatTool } from '../../../../../server/protocol/index.js';
import {
  type AnswerFormat,
  answerFormat,
  formatMarkers,
  readAnswer,
} from '../../../../../server/src/chat/answer/answer-format.js';
import {
  BARE_CALLS,
  CHANNELS,
  CHATML,
  HERMES,
  LLAMA3,
  MARKED_CALLS,
  QWEN_THINKING,
  TAGGED_PARAMETERS,
} from '../../../../support/models/chat-templates.js';

const TOOLS: readonly ChatTool[] = [{ name: 'look', description: 'Looks.' }];

/** Thinking and answer as texts, calls as names with inputs. */
interface Read {
  readonly thinking?: string;
  readonly answer?: string;
  readonly calls?: readonly unknown[];
}

function read(format: AnswerFormat, text: string, pieceLength: number, open = false): Required<Read> {
  const said = { thinking: '', answer: '' };
  const calls: unknown[] = [];
  const reader = readAnswer(format, open, TOOLS);
  const take = (pieces: ReturnType<typeof reader.push>) => {
    for (const piece of pieces) {
      if (piece.kind === 'toolCall') calls.push([piece.call.name, piece.call.input]);
      else said[piece.kind] += piece.text;
    }
  };
  for (let at = 0; at < text.length; at += pieceLength) take(reader.push(text.slice(at, at + pieceLength)));
  take(reader.end());
  return { ...said, calls };
}

describe('the template decides', () => {
  test.each([
    ['ChatML', CHATML, 'none', 'none'],
    ['Llama 3 without tools', LLAMA3, 'none', 'none'],
    ['Qwen with thinking', QWEN_THINKING, 'none', 'optional'],
    ['JSON between tags', HERMES, 'tags', 'none'],
    ['tags all the way', TAGGED_PARAMETERS, 'tags', 'none'],
    ['a marker', MARKED_CALLS, 'marker', 'always'],
    ['bare JSON', BARE_CALLS, 'bare', 'none'],
    ['channels', CHANNELS, 'channels', 'always'],
    ['tags that are spoken of, but no tools', `${CHATML}{# <tool_call> #}`, 'none', 'none'],
  ])('%s', (_name, template, tools, thinking) => {
    const format = answerFormat(template);
    expect([format.tools.kind, format.thinking.kind]).toEqual([tools, thinking]);
  });

  test('which texts have a meaning in an answer', () => {
    expect(formatMarkers(answerFormat(MARKED_CALLS))).toEqual([
      '[THINK]',
      '[/THINK]',
      '[TOOL_CALLS]',
      '[ARGS]',
      '[CALL_ID]',
    ]);
    expect(formatMarkers(answerFormat(CHANNELS))).toContain('<|message|>');
    expect(formatMarkers(answerFormat(BARE_CALLS))).toContain('<|python_tag|>');
  });
});

const CALL = '<tool_call>\n{"name": "look", "arguments": {"at": 1}}\n</tool_call>';
const CALLED = ['look', { at: 1 }];

describe.each([1, 2, 3, 7, 1000])('in pieces of %i characters', (pieceLength) => {
  test.each<[string, string, string, Read]>([
    ['JSON between tags', HERMES, CALL, { calls: [CALLED] }],
    ['two calls', HERMES, `${CALL}\n${CALL}`, { calls: [CALLED, CALLED] }],
    ['text before a call', HERMES, `I look.\n\n${CALL}`, { answer: 'I look.', calls: [CALLED] }],
    ['text behind a call', HERMES, `${CALL}\nDone.`, { answer: '\nDone.', calls: [CALLED] }],
    ['a call without its end', HERMES, CALL.slice(0, -12), { calls: [CALLED] }],
    ['what is no call', HERMES, '<tool_call>\nlook\n</tool_call> x', { answer: '<tool_call>\nlook\n</tool_call> x' }],
    ['half a call', HERMES, '<tool_call>\n{"name": "lo', { answer: '<tool_call>\n{"name": "lo' }],
    ['what only begins like a call', HERMES, 'a < b <tool', { answer: 'a < b <tool' }],
    ['white space in code', HERMES, 'a\n\n    b\n', { answer: 'a\n\n    b' }],
    ['thinking before a call', HERMES, `<think>hm</think>\n${CALL}`, { thinking: 'hm', calls: [CALLED] }],
    ['a call that is only thought of', HERMES, `<think>${CALL}</think>No.`, { thinking: CALL, answer: 'No.' }],
    [
      'tags all the way',
      TAGGED_PARAMETERS,
      'Now.\n<tool_call>\n<function=look>\n<parameter=at>\n1\n</parameter>\n</function>\n</tool_call>',
      { answer: 'Now.', calls: [CALLED] },
    ],
    [
      'tags without those around them',
      TAGGED_PARAMETERS,
      '<function=look>\n<parameter=at>\n1\n</parameter>\n</function>',
      { calls: [CALLED] },
    ],
    ['a marker', MARKED_CALLS, '[TOOL_CALLS]look[ARGS]{"at": 1}', { calls: [CALLED] }],
    ['text before a marker', MARKED_CALLS, 'So [1].[TOOL_CALLS]look{"at": 1}', { answer: 'So [1].', calls: [CALLED] }],
    ['a marker and words', MARKED_CALLS, '[TOOL_CALLS]hm', { answer: '[TOOL_CALLS]hm' }],
    [
      'thinking between control tokens',
      MARKED_CALLS,
      '[THINK]hm[/THINK]Yes.[TOOL_CALLS]look[ARGS]{"at": 1}',
      { thinking: 'hm', answer: 'Yes.', calls: [CALLED] },
    ],
    ['bare JSON', BARE_CALLS, '{"name": "look", "parameters": {"at": 1}}', { calls: [CALLED] }],
    [
      'bare JSON behind a tag',
      BARE_CALLS,
      '<|python_tag|>{"name": "look", "parameters": {"at": 1}}',
      { calls: [CALLED] },
    ],
    ['JSON that is an answer', BARE_CALLS, '{"a": 1}', { answer: '{"a": 1}' }],
    ['text with braces', BARE_CALLS, 'Use {"name": "look"}.', { answer: 'Use {"name": "look"}.' }],
    ['a list in brackets', BARE_CALLS, '[a](b) c', { answer: '[a](b) c' }],
    [
      'channels',
      CHANNELS,
      '<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>Yes.',
      { thinking: 'hm', answer: 'Yes.' },
    ],
    [
      'a call on a channel',
      CHANNELS,
      '<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>commentary to=functions.look <|constrain|>json<|message|>{"at": 1}',
      { thinking: 'hm', calls: [CALLED] },
    ],
    [
      'a recipient before its channel',
      CHANNELS,
      ' to=functions.look<|channel|>commentary json<|message|>{"at": 1}<|call|>',
      { calls: [CALLED] },
    ],
    [
      'a preamble, then the answer',
      CHANNELS,
      '<|channel|>commentary<|message|>First.<|end|><|start|>assistant<|channel|>final<|message|>Then.',
      { answer: 'First.\n\nThen.' },
    ],
    ['a call of nothing', CHANNELS, '<|channel|>commentary to=functions.x<|message|>{}', { answer: '{}' }],
    ['a tool of its makers', CHANNELS, '<|channel|>analysis to=python<|message|>1+1<|end|>', { thinking: '1+1' }],
    ['thinking that is cut off', CHANNELS, '<|channel|>analysis<|message|>h <|e', { thinking: 'h <|e' }],
    ['a header alone', CHANNELS, '<|channel|>ana', {}],
    ['no channel at all', CHANNELS, 'Yes.', { answer: 'Yes.' }],
    ['a long answer without a channel', CHANNELS, 'Yes. '.repeat(60), { answer: 'Yes. '.repeat(60) }],
  ])('%s', (_name, template, text, expected) => {
    const found = read(answerFormat(template), text, pieceLength);
    expect({ ...found, answer: found.answer.trimEnd() }).toEqual({
      thinking: '',
      calls: [],
      ...expected,
      answer: (expected.answer ?? '').trimEnd(),
    });
  });
});

test('without tools there are no calls', () => {
  const reader = readAnswer(answerFormat(HERMES), false, []);
  expect([...reader.push(CALL), ...reader.end()]).toEqual([{ kind: 'answer', text: CALL }]);
});
