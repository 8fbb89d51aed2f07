import type { ChatMessage } from '../../../server/protocol/index.js';
import type { RemoteModelFacts } from '../../../server/src/engine/port/model-facts.js';

/** Another extension, or another editor, may send conversations of any length. */
const MESSAGE_LENGTH = 1;

/** How the messages of a long conversation follow each other. */
const CONVERSATIONS: Readonly<Record<string, (text: string, index: number) => ChatMessage>> = {
  'questions only': (text) => ({ role: 'user', text }),
  'calls without results': (text, index) => ({ role: 'assistant', text, toolCalls: [callOf(index)] }),
  'calls with results': (text, index) =>
    index % 2 === 0
      ? { role: 'assistant', text, toolCalls: [callOf(index)] }
      : { role: 'tool', text, callId: callOf(index - 1).id },
  'results of one call': (text, index) =>
    index === 0 ? { role: 'assistant', text, toolCalls: [callOf(0)] } : { role: 'tool', text, callId: callOf(0).id },
};

export const CHAT = Object.keys(CONVERSATIONS).map((name) => `a conversation of ${name}`);

/** Readers of conversations. */
export async function chatWorks(): Promise<Readonly<Record<string, (text: string) => unknown>>> {
  const { normalizeConversation } = await import('../../../server/src/chat/prompt/normalize-conversation.js');
  const { fitConversation } = await import('../../../server/src/chat/prompt/fit-conversation.js');
  const { MessagesChat } = await import('../../../server/src/chat/messages-chat.js');
  const facts = { chatContextLength: 100_000, capabilities: { tokenizes: false } } as RemoteModelFacts;
  const remote = new MessagesChat({} as ConstructorParameters<typeof MessagesChat>[0], facts);
  const works = Object.entries(CONVERSATIONS).map(([name, messageOf]) => {
    const work = (text: string) => {
      const count = Math.ceil(text.length / MESSAGE_LENGTH);
      const said = Array.from({ length: count }, (_, index) =>
        messageOf(text.slice(index * MESSAGE_LENGTH, (index + 1) * MESSAGE_LENGTH), index),
      );
      const question: ChatMessage = { role: 'user', text: 'And now?' };
      const messages = normalizeConversation([question, ...said, question], true) ?? [];
      const fitted = fitConversation(
        messages,
        messages.map(() => 10),
        100,
      );
      return remote.request(messages).then((asked) => [fitted.droppedTurns, asked?.promptTokens]);
    };
    return [`a conversation of ${name}`, work] as const;
  });
  return Object.fromEntries(works);
}

function callOf(index: number) {
  return { id: `call ${index}`, name: 'look', input: {} };
}
