import type { ChatMessage } from '../../../protocol/index.js';

/**
 * The oldest turns are dropped in steps of this share of the budget, so that the next question starts with the same
 * prefix.
 */
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
 * Drops the oldest turns until the rest fits; never the system message or the last question.
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

function splitTurns(messages: readonly ChatMessage[], tokens: readonly number[]): readonly Turn[] {
  const turns: { readonly messages: ChatMessage[]; tokens: number }[] = [];
  for (const [index, message] of messages.entries()) {
    const count = tokens[index] ?? 0;
    const last = turns.at(-1);
    if (message.role === 'user' || last === undefined) turns.push({ messages: [message], tokens: count });
    else {
      last.messages.push(message);
      last.tokens += count;
    }
  }
  return turns;
}
