import {
  type ChatEngineStatus,
  type CompletionSummary,
  drawbackOf,
  type InklingStatus,
  type ModelSummary,
  type RemoteServerKind,
  type RemoteSummary,
  t,
} from '../../../server/protocol/index.js';
import { formatMilliseconds, formatParameterCount } from '../texts/format-quantity.js';

/** With fewer tokens the speed says little: a few accepted drafts make it several times as high. */
const LEAST_FOR_SPEED = 50;

/** The value may contain text from a model file or a server: plain. */
export interface StatusFact {
  readonly label: string;
  readonly value: string;
}

/** The model in one line, with the machine that runs it: `Coder · Q4_K_M`; null if none is known. */
export function describeModel({ model, remote }: Pick<InklingStatus, 'model' | 'remote'>): string | null {
  const parts = [model?.name, model?.quantization, remote === null ? null : describeRemote(remote)];
  const known = parts.filter((part) => part !== undefined && part !== null);
  return known.length === 0 ? null : known.join(' · ');
}

/** `42 ms, 12 tokens`. */
export function describeSuggestion({ latencyMs, generatedTokens }: CompletionSummary): string {
  const latency = formatMilliseconds(latencyMs);
  return generatedTokens === 1 ? t('{0}, one token', latency) : t('{0}, {1} tokens', latency, generatedTokens);
}

/** The model that answers questions, or why none does; null before the first model is known. */
export function describeChat({ chat, model }: Pick<InklingStatus, 'chat' | 'model'>): string | null {
  if (chat !== null) return describeChatModel(chat);
  if (model === null) return null;
  return model.chat ? model.name : t('{0} cannot chat', model.name);
}

/** Everything that the status knows besides memory: the model, then the last suggestion. */
export function statusFacts({
  model,
  remote,
  chat,
  lastCompletion,
}: Pick<InklingStatus, 'model' | 'remote' | 'chat' | 'lastCompletion'>): readonly StatusFact[] {
  return [
    ...(model === null ? [] : modelFacts(model)),
    ...(remote === null ? [] : [{ label: t('Runs on'), value: describeRemote(remote) }]),
    ...(chat === null ? [] : [{ label: t('Chat model'), value: describeChatModel(chat) }]),
    ...(lastCompletion === null ? [] : suggestionFacts(lastCompletion)),
  ];
}

function describeRemote({ host, kind }: RemoteSummary): string {
  return kind === null ? host : `${host} (${serverName(kind)})`;
}

function serverName(kind: RemoteServerKind): string {
  switch (kind) {
    case 'llama-server':
      return kind;
    case 'vllm':
      return 'vLLM';
    case 'openai':
      return t('OpenAI-compatible');
    case 'ollama':
      return 'Ollama';
  }
}

/** Before the first load of a model for chat alone, its file's name. */
export function chatModelName({ model, path }: Pick<ChatEngineStatus, 'model' | 'path'>): string {
  return model?.name ?? path.slice(path.search(/[^/\\]*$/));
}

function describeChatModel(chat: ChatEngineStatus): string {
  const { state } = chat;
  const name = chatModelName(chat);
  switch (state.kind) {
    case 'unloaded':
      return t('{0}, loads when you ask a question', name);
    case 'error':
      return drawbackOf(state) === null ? state.error.message : name;
    case 'loading':
    case 'ready':
    case 'working':
    case 'off':
      return name;
  }
}

function modelFacts({ name, parameterCount, quantization }: ModelSummary): readonly StatusFact[] {
  const parameters = parameterCount === null ? null : t('{0} parameters', formatParameterCount(parameterCount));
  const size = [parameters, quantization].filter((part) => part !== null).join(', ');
  const facts = [{ label: t('Model'), value: name }];
  return size === '' ? facts : [...facts, { label: t('Size'), value: size }];
}

function suggestionFacts(completion: CompletionSummary): readonly StatusFact[] {
  const { generatedTokens, decodedTokens, promptTokens, reusedTokens, decodeMs } = completion;
  const { draftedTokens, acceptedDraftTokens, draftFailure } = completion;
  const facts = [{ label: t('Last suggestion'), value: describeSuggestion(completion) }];
  if (promptTokens !== null && reusedTokens !== null) {
    facts.push({ label: t('Prompt'), value: t('{0} of {1} tokens reused', reusedTokens, promptTokens) });
  }
  // Tokens that were known or given cost nothing, and neither does the first one, which the prompt gave.
  const computed = decodedTokens ?? generatedTokens;
  if (computed >= LEAST_FOR_SPEED && decodeMs > 0) {
    facts.push({ label: t('Speed'), value: t('{0} tokens/s', Math.round((computed / decodeMs) * 1000)) });
  }
  if (draftedTokens !== null && draftedTokens > 0 && acceptedDraftTokens !== null) {
    facts.push({ label: t('Drafts'), value: t('{0} of {1} accepted', acceptedDraftTokens, draftedTokens) });
  }
  if (draftFailure !== null) facts.push({ label: t('Drafting stopped'), value: draftFailure });
  return facts;
}
