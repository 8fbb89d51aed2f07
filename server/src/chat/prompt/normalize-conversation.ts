import type { ChatMessage } from '../../../protocol/index.js';

/**
 * Converts a conversation to what templates accept: an optional system message, then questions and answers in turn,
 * with results after their calls. Joins messages of the same role, drops empty ones, and trims the user's.
 *
 * @param calls whether the template supports calls; if not, they become text
 * @returns null for a conversation that is empty or ends with an answer
 */
export function normalizeConversation(messages: readonly ChatMessage[], calls: boolean): readonly ChatMessage[] | null {
  const system = messages.filter(({ role }) => role === 'system').map(({ text }) => text.trim());
  const joined: ChatMessage[] = [];
  for (const message of calls ? pairCalls(messages) : messages.map(tellCalls)) {
    const { role, text: raw, toolCalls = [] } = message;
    // An answer stays as generated: the engine still has it in these tokens.
    const text = role === 'user' ? raw.trim() : raw;
    const says = role === 'tool' || toolCalls.length > 0 || text.trim() !== '';
    if (role === 'system' || !says) continue;
    const last = joined.at(-1);
    const follows = last?.role === role && role !== 'tool' && (last.toolCalls ?? []).length === 0;
    if (follows) joined[joined.length - 1] = { ...message, text: last.text === '' ? text : `${last.text}\n\n${text}` };
    else if (role === 'user' || last !== undefined) joined.push({ ...message, text });
  }
  if (joined.length === 0 || joined.at(-1)?.role === 'assistant') return null;
  const instruction = system.filter((text) => text !== '').join('\n\n');
  return instruction === '' ? joined : [{ role: 'system', text: instruction }, ...joined];
}

/** Each call with its result. Drops a call without a result; a result without a call becomes text. */
function pairCalls(messages: readonly ChatMessage[]): ChatMessage[] {
  const called = new Set<string>();
  const lastResults = new Map(messages.map(({ callId }, index) => [callId, index]));
  return messages.map((message, index) => {
    if (message.role === 'tool') return called.has(message.callId ?? '') ? message : tellCalls(message);
    const toolCalls = (message.toolCalls ?? []).filter(({ id }) => (lastResults.get(id) ?? 0) > index);
    for (const { id } of toolCalls) called.add(id);
    const { role, text } = message;
    return toolCalls.length === 0 ? { role, text } : { role, text, toolCalls };
  });
}

function tellCalls({ role, text, toolCalls = [] }: ChatMessage): ChatMessage {
  if (role === 'tool') return { role: 'user', text: `The result:\n${text}` };
  const told = toolCalls.map(({ name }) => `(${name} was called.)`);
  return { role, text: [text, ...told].filter((each) => each !== '').join('\n') };
}
