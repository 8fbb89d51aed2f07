import type { ChatMessage } from '../../protocol/index.js';

/** Oldest turns go in steps of this share of the budget, so that the next question finds the same beginning again. */
const STEP_SHARE = 1 / 4;

/** A question with the answers that follow it. */
interface Turn {
  readonly messages: readonly ChatMessage[];
  readonly tokens: number;
}

export interface FittedConversation {
  readonly messages: readonly ChatMessage[];
  readonly droppedTurns: number;
}

/**
 * Leaves out the oldest turns until the rest fits; never the system message, never the last question.
 *
 * @param tokens of each message, with its share of the template
 * @param budget tokens for all of them
 */
export function fitConversation(
  messages: readonly ChatMessage[],
  tokens: readonly number[],
  budget: number,
): FittedConversation {
  const total = tokens.reduce((sum, count) => sum + count, 0);
  if (total <= budget) return { messages, droppedTurns: 0 };
  const system = messages[0]?.role === 'system' ? messages.slice(0, 1) : [];
  const turns = splitTurns(messages.slice(system.length), tokens.slice(system.length));
  const step = Math.max(1, Math.floor(budget * STEP_SHARE));
  const wanted = Math.ceil((total - budget) / step) * step;
  let droppedTokens = 0;
  let droppedTurns = 0;
  for (const turn of turns.slice(0, -1)) {
    if (droppedTokens >= wanted) break;
    droppedTokens += turn.tokens;
    droppedTurns += 1;
  }
  return { messages: [...system, ...turns.slice(droppedTurns).flatMap((turn) => turn.messages)], droppedTurns };
}

function splitTurns(messages: readonly ChatMessage[], tokens: readonly number[]): Turn[] {
  const turns: Turn[] = [];
  for (const [index, message] of messages.entries()) {
    const count = tokens[index] ?? 0;
    const last = turns.at(-1);
    if (message.role === 'user' || last === undefined) turns.push({ messages: [message], tokens: count });
    else turns[turns.length - 1] = { messages: [...last.messages, message], tokens: last.tokens + count };
  }
  return turns;
}

/**
 * What a template accepts: a system message at most at the start, then questions and answers in turn. Messages of one
 * role that follow each other become one, empty ones go, and the user's are without white space around them.
 *
 * @returns null for a conversation that does not end with a question
 */
export function normalizeConversation(messages: readonly ChatMessage[]): readonly ChatMessage[] | null {
  const system = messages.filter(({ role }) => role === 'system').map(({ text }) => text.trim());
  const joined: ChatMessage[] = [];
  for (const { role, text: raw } of messages) {
    // An answer stays as it was generated: the engine still holds it in these very tokens.
    const text = role === 'user' ? raw.trim() : raw;
    if (role === 'system' || text.trim() === '') continue;
    const last = joined.at(-1);
    if (last?.role === role) joined[joined.length - 1] = { role, text: `${last.text}\n\n${text}` };
    else if (role === 'user' || last !== undefined) joined.push({ role, text });
  }
  if (joined.at(-1)?.role !== 'user') return null;
  const instruction = system.filter((text) => text !== '').join('\n\n');
  return instruction === '' ? joined : [{ role: 'system', text: instruction }, ...joined];
}
