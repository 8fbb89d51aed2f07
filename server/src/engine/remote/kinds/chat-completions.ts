import { amountOrNull, countOrNull, listOf, objectOf, textOf } from '../../../util/json.js';
import type { ConversationRequest } from '../../port/engine.js';
import { errorMessageOf, reportedError } from '../http/remote-error.js';
import type { ConversationPiece, Timings } from '../prompts/generation-record.js';
import type { WireRequest } from './remote-model.js';

/** A conversation in OpenAI's form, which every kind of server takes. @param extras fields for this kind of server only */
export function conversationWire(
  host: string,
  model: string,
  { messages, maxTokens, temperature, topP }: ConversationRequest,
  extras: Readonly<Record<string, unknown>>,
): WireRequest<ConversationPiece> {
  return {
    path: '/v1/chat/completions',
    format: 'events',
    body: {
      ...(model === '' ? {} : { model }),
      messages: messages.map(({ role, text }) => ({ role, content: text })),
      max_tokens: maxTokens,
      temperature,
      top_p: topP,
      stream: true,
      stream_options: { include_usage: true },
      ...extras,
    },
    read: (value) => readConversationPiece(value, host),
  };
}

/** @throws EngineError for a value that reports a failure */
export function readConversationPiece(value: unknown, host: string): ConversationPiece {
  const failure = errorMessageOf(value);
  if (failure !== null) throw reportedError(host, failure);
  const { choices, usage, timings } = objectOf(value);
  const choice = objectOf(listOf(choices)[0]);
  // A server that does not stream sends the whole message.
  const delta = objectOf(choice.delta ?? choice.message);
  const reason = textOf(choice.finish_reason);
  return {
    // Servers use two names for it, and neither is part of OpenAI's interface.
    thinking: textOf(delta.reasoning_content) || textOf(delta.reasoning),
    answer: textOf(delta.content),
    ending: reason === '' ? null : reason === 'length' ? 'maxTokens' : 'endOfText',
    timings: timingsOf(usage, timings),
  };
}

/** OpenAI's counts, with llama-server's times where it sends them; null where a value holds neither. */
export function timingsOf(usage: unknown, timings: unknown): Timings | null {
  if (typeof usage !== 'object' || usage === null) return typeof timings === 'object' ? llamaTimings(timings) : null;
  const counts = objectOf(usage);
  const times = llamaTimings(timings);
  return {
    promptTokens: countOrNull(counts.prompt_tokens),
    reusedTokens: countOrNull(objectOf(counts.prompt_tokens_details).cached_tokens) ?? times?.reusedTokens ?? null,
    generatedTokens: countOrNull(counts.completion_tokens),
    prefillMs: times?.prefillMs ?? null,
    decodeMs: times?.decodeMs ?? null,
  };
}

/** llama-server's account of its work, in the last value of a stream or in each one. */
export function llamaTimings(value: unknown): Timings | null {
  const { prompt_n, cache_n, predicted_n, prompt_ms, predicted_ms } = objectOf(value);
  const freshTokens = countOrNull(prompt_n);
  if (freshTokens === null) return null;
  const reusedTokens = countOrNull(cache_n);
  return {
    promptTokens: freshTokens + (reusedTokens ?? 0),
    reusedTokens,
    generatedTokens: countOrNull(predicted_n),
    prefillMs: amountOrNull(prompt_ms),
    decodeMs: amountOrNull(predicted_ms),
  };
}
