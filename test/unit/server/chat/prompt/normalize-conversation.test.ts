import { describe, expect, test } from 'vitest';
import type { ChatMessage } from '../../../../../server/protocol/index.js';
import { normalizeConversation } from '../../../../../server/src/chat/prompt/normalize-conversation.js';

const user = (text: string): ChatMessage => ({ role: 'user', text });
const assistant = (text: string): ChatMessage => ({ role: 'assistant', text });
const calling = (id: string, text = ''): ChatMessage => ({
  role: 'assistant',
  text,
  toolCalls: [{ id, name: 'look', input: {} }],
});
const result = (callId: string, text: string): ChatMessage => ({ role: 'tool', text, callId });
const system: ChatMessage = { role: 'system', text: 's' };

describe('normalizing', () => {
  test('joins messages of one role, drops empty ones, trims questions only', () => {
    expect(
      normalizeConversation(
        [assistant('greeting'), user(' a '), user('b'), assistant(' c \n'), user(''), user('d')],
        false,
      ),
    ).toEqual([user('a\n\nb'), assistant(' c \n'), user('d')]);
  });

  test('puts instructions first, as one', () => {
    expect(normalizeConversation([user('a'), { role: 'system', text: 'x' }, system], false)).toEqual([
      { role: 'system', text: 'x\n\ns' },
      user('a'),
    ]);
  });

  test('needs a question at the end', () => {
    expect(normalizeConversation([], false)).toBeNull();
    expect(normalizeConversation([user('a'), assistant('b')], false)).toBeNull();
    expect(normalizeConversation([user('  ')], false)).toBeNull();
  });
});

describe('calls', () => {
  const called = [user('a'), calling('1', 'Let me look.'), result('1', '')];

  test('stay with their results, empty ones too, and a result may end the conversation', () => {
    expect(normalizeConversation(called, true)).toEqual(called);
    expect(normalizeConversation([...called, calling('2'), result('2', 'x')], true)).toHaveLength(5);
  });

  test('become text if the template does not support them', () => {
    expect(normalizeConversation([...called, calling('2'), result('2', 'x')], false)).toEqual([
      user('a'),
      assistant('Let me look.\n(look was called.)'),
      user('The result:'),
      assistant('(look was called.)'),
      user('The result:\nx'),
    ]);
  });

  test('without a result are dropped, and a result without a call becomes text', () => {
    expect(normalizeConversation([user('a'), calling('1'), user('b')], true)).toEqual([user('a\n\nb')]);
    expect(normalizeConversation([user('a'), result('1', 'x')], true)).toEqual([user('a\n\nThe result:\nx')]);
    expect(normalizeConversation([result('1', 'x'), calling('1'), user('b')], true)).toEqual([
      user('The result:\nx\n\nb'),
    ]);
  });
});
