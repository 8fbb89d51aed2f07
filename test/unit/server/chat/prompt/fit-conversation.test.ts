import { describe, expect, test } from 'vitest';
import type { ChatMessage } from '../../../../../server/protocol/index.js';
import { fitConversation } from '../../../../../server/src/chat/prompt/fit-conversation.js';

const user = (text: string): ChatMessage => ({ role: 'user', text });
const assistant = (text: string): ChatMessage => ({ role: 'assistant', text });
const system: ChatMessage = { role: 'system', text: 's' };

/** A system message and turns of two messages, ten tokens each; the last question is open. */
function conversation(turns: number): { messages: ChatMessage[]; tokens: number[] } {
  const messages = [system];
  for (let turn = 1; turn <= turns; turn++) messages.push(user(`q${turn}`), assistant(`a${turn}`));
  messages.push(user('last'));
  return { messages, tokens: messages.map(() => 10) };
}

describe('a conversation', () => {
  test('stays whole if it fits', () => {
    const { messages, tokens } = conversation(2);
    expect(fitConversation(messages, tokens, 60)).toEqual({ messages, droppedTurns: 0 });
  });

  test('loses its oldest turns, never the system message or the question', () => {
    const { messages, tokens } = conversation(3);
    const fitted = fitConversation(messages, tokens, 70);
    expect(fitted.droppedTurns).toBe(1);
    expect(fitted.messages.map(({ text }) => text)).toEqual(['s', 'q2', 'a2', 'q3', 'a3', 'last']);
    expect(fitConversation(messages, tokens, 5).messages.map(({ text }) => text)).toEqual(['s', 'last']);
  });

  test('loses them in steps, so that the beginning stays the same for several questions', () => {
    const firsts = [10, 11, 12, 13, 14, 15, 16].map((turns) => {
      const { messages, tokens } = conversation(turns);
      return fitConversation(messages, tokens, 200).messages[1]?.text;
    });
    expect(new Set(firsts).size).toBeLessThan(5);
    expect(firsts[0]).not.toBe(firsts.at(-1));
  });
});
