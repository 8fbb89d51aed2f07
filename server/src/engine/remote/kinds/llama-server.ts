import { basename } from 'node:path/posix';
import { isDeepStrictEqual } from 'node:util';
import {
  contextLengthOf,
  countOrNull,
  isTokenId,
  type JsonObject,
  listOf,
  numberOf,
  numberOrNull,
  objectOf,
  shownText,
  shownTextOrNull,
  textOf,
  tokensOf,
} from '../../../util/json.js';
import type { ConversationRequest } from '../../port/engine.js';
import type { GenerateRequest, RunnerUp } from '../../port/generation.js';
import { quantizationName } from '../../port/quantization-name.js';
import type { HttpClient } from '../http/http-client.js';
import { errorMessageOf, protocolError, reportedError } from '../http/remote-error.js';
import { findFileMarkers, findFimTokens } from '../prompts/fim-tokens.js';
import { type GenerationPiece, NO_PIECE } from '../prompts/generation-record.js';
import { grammarBeginningWith, type HealedTokens, type SpelledToken, takeBack } from '../prompts/healing.js';
import { TokenCache, tokensOfText } from '../prompts/token-cache.js';
import { conversationWire, llamaTimings } from './chat-completions.js';
import { chooseListedModel, type ListedModel, listModels } from './listed-models.js';
import type { CompletionWire, OpenRemoteModel, RemoteModel, ServedModelFacts } from './remote-model.js';

/** llama-server's own default, for one that does not say its context length. */
const DEFAULT_CONTEXT = 4096;

export const openLlamaServer: OpenRemoteModel = async (http, wanted, signal) => {
  const query = wanted === '' ? '' : `?model=${encodeURIComponent(wanted)}`;
  const props = objectOf(await http.get(`/props${query}`, { signal }));
  const chosen = await chooseListedModel(http, wanted, signal);
  const { id } = chosen;
  const meta = objectOf(chosen.listed.meta);
  const wire = new LlamaServerWire(http, wanted);
  const template = textOf(props.chat_template);
  const [start] = await wire.tokenizeNothing(signal);
  const tokenize = (text: string) => wire.tokenize(text, true, signal);
  const fileType = shownTextOrNull(props.model_ftype) ?? shownTextOrNull(meta.ftype);
  const facts: ServedModelFacts = {
    server: 'llama-server',
    name: shownText(basename(id).replace(/\.gguf$/i, '')),
    architecture: null,
    quantization: fileType && quantizationName(fileType),
    parameterCount: countOrNull(meta.n_params),
    fileBytes: countOrNull(meta.size),
    contextLength: contextLengthOf(objectOf(props.default_generation_settings).n_ctx, DEFAULT_CONTEXT),
    fim: await findFimTokens(tokenize, [id, basename(textOf(props.model_path))]),
    bosToken: start?.piece === props.bos_token ? (start?.id ?? null) : null,
    chat: template !== '',
    thinking: template.includes('enable_thinking') ? 'optional' : 'none',
    capabilities: { heals: true, prepares: true, branches: true, tokenizes: true, resumes: false },
  };
  return new LlamaServer(wire, facts, chosen, await findFileMarkers(tokenize));
};

/**
 * llama.cpp's server. It takes prompts as token ids, so prompts are the same as for the engine in this process. The model
 * chooses the last typed tokens again, under a grammar that holds them to the typed text. The server keeps the state of
 * what it has read, as far as the model's layers allow.
 */
class LlamaServer implements RemoteModel {
  readonly #wire: LlamaServerWire;
  readonly #chosen: ListedModel;
  readonly #fileMarkers: readonly number[];
  readonly #tokens: TokenCache;

  constructor(
    wire: LlamaServerWire,
    readonly facts: ServedModelFacts,
    chosen: ListedModel,
    fileMarkers: readonly number[],
  ) {
    this.#wire = wire;
    this.#chosen = chosen;
    this.#fileMarkers = fileMarkers;
    this.#tokens = new TokenCache((text, signal) => wire.tokenize(text, false, signal));
  }

  /** On a server with several models, the list's entry of a model also changes when it is loaded. */
  async isPresent(signal: AbortSignal): Promise<boolean> {
    const { id, listed } = this.#chosen;
    const present = (await this.#wire.list(signal)).find((each) => each.id === id);
    return (
      present !== undefined && (this.#wire.modelName !== '' || isDeepStrictEqual(present.listed.meta, listed.meta))
    );
  }

  tokenize(text: string, parseSpecial: boolean, signal: AbortSignal): Promise<readonly number[]> {
    return this.#wire.tokenize(text, parseSpecial, signal);
  }

  /** Special tokens are always spelled. */
  detokenize(tokens: readonly number[], _special: boolean, signal: AbortSignal): Promise<string> {
    return this.#wire.detokenize(tokens, signal);
  }

  async completion(request: GenerateRequest, signal: AbortSignal): Promise<CompletionWire> {
    const { prompt, heal = false, begin = [], maxTokens, stop = [], stopTokens = [], runnersUp = false } = request;
    const last = prompt.at(-1);
    const healed = heal && typeof last === 'string' ? await this.#heal(last, signal) : null;
    const whole = healed === null ? prompt : prompt.slice(0, -1);
    const ids = [...(await this.#tokens.idsOf(whole, signal)), ...(healed?.stable ?? []), ...begin];
    const repeated = healed?.rest ?? '';
    const begun = begin.length === 0 ? '' : await this.#wire.detokenize(begin, signal);
    const { model, host } = this.#wire;
    const constrained = repeated.slice(begun.length);
    return {
      path: '/completion',
      format: 'events',
      body: {
        ...model,
        prompt: ids,
        n_predict: maxTokens,
        stream: true,
        cache_prompt: true,
        // The best token, by the cheapest chain.
        temperature: 0,
        samplers: ['top_k'],
        top_k: 1,
        n_probs: runnersUp ? 2 : 1,
        return_tokens: true,
        timings_per_token: true,
        stop,
        ...(constrained === '' ? {} : { grammar: grammarBeginningWith(constrained) }),
      },
      read: (value) => readLlamaPiece(value, host, runnersUp),
      repeated,
      begun: { ...NO_PIECE, text: begun, tokens: begin, logProbabilities: begin.map(() => 0) },
      // It takes no stop tokens, and a special token has no text that a stop text could meet. The engine ends there.
      endTokens: request.endsWithFile === true ? [...stopTokens, ...this.#fileMarkers] : stopTokens,
      promptTokens: ids.length,
    };
  }

  conversation(request: ConversationRequest) {
    const { host, modelName } = this.#wire;
    return conversationWire(host, modelName, request, {
      top_k: request.topK,
      cache_prompt: true,
      ...(this.facts.thinking === 'optional' ? { chat_template_kwargs: { enable_thinking: request.think } } : {}),
    });
  }

  async #heal(typed: string, signal: AbortSignal): Promise<HealedTokens> {
    return takeBack(await this.#wire.tokenizeSpelled(typed, signal));
  }
}

/** The questions whose answers come whole, not as streams. */
class LlamaServerWire {
  readonly #http: HttpClient;

  constructor(
    http: HttpClient,
    /** Empty for a server that has one model only. */
    readonly modelName: string,
  ) {
    this.#http = http;
  }

  get host(): string {
    return this.#http.host;
  }

  get model(): JsonObject {
    return this.modelName === '' ? {} : { model: this.modelName };
  }

  list(signal: AbortSignal): Promise<readonly ListedModel[]> {
    return listModels(this.#http, signal);
  }

  async tokenize(content: string, parse_special: boolean, signal: AbortSignal): Promise<readonly number[]> {
    const answer = await this.#ask('/tokenize', { content, add_special: false, parse_special }, signal);
    return tokensOfText(answer.tokens, content, this.host);
  }

  tokenizeSpelled(content: string, signal: AbortSignal): Promise<readonly SpelledToken[]> {
    return this.#spelled({ content, add_special: false, parse_special: false }, signal);
  }

  /** The tokens that the vocabulary puts before every text. */
  tokenizeNothing(signal: AbortSignal): Promise<readonly SpelledToken[]> {
    return this.#spelled({ content: '', add_special: true, parse_special: true }, signal);
  }

  async detokenize(tokens: readonly number[], signal: AbortSignal): Promise<string> {
    const { content } = await this.#ask('/detokenize', { tokens }, signal);
    if (typeof content !== 'string') throw protocolError(this.host, '/detokenize gave no text');
    return content;
  }

  async #spelled(question: JsonObject, signal: AbortSignal): Promise<readonly SpelledToken[]> {
    const { tokens } = await this.#ask('/tokenize', { ...question, with_pieces: true }, signal);
    return listOf(tokens).map((each) => {
      const { id, piece } = objectOf(each);
      if (!isTokenId(id)) throw protocolError(this.host, '/tokenize gave tokens without ids');
      return { id, piece: typeof piece === 'string' ? piece : null };
    });
  }

  async #ask(path: string, question: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    return objectOf(await this.#http.post(path, { ...this.model, ...question }, { signal }));
  }
}

/** One value of the stream of `/completion`. @throws EngineError */
export function readLlamaPiece(value: unknown, host: string, wantsRunnersUp: boolean): GenerationPiece {
  const failure = errorMessageOf(value);
  if (failure !== null) throw reportedError(host, failure);
  const { content, tokens, stop, stop_type, timings, completion_probabilities } = objectOf(value);
  if (typeof content !== 'string') throw protocolError(host, 'a piece of the completion has no text');
  const choices = listOf(completion_probabilities).map(objectOf);
  return {
    text: content,
    tokens: tokensOf(tokens) ?? [],
    logProbabilities: choices.map(({ logprob }) => numberOf(logprob)),
    runnersUp: wantsRunnersUp ? choices.map(runnerUpOf) : [],
    ending: stop === true ? endingOf(stop_type) : null,
    timings: llamaTimings(timings),
  };
}

function runnerUpOf({ id, top_logprobs }: JsonObject): RunnerUp | null {
  const other = listOf(top_logprobs)
    .map(objectOf)
    .find((each) => each.id !== id);
  const { id: token } = other ?? {};
  const logProbability = numberOrNull(other?.logprob);
  return !isTokenId(token) || logProbability === null ? null : { token, logProbability };
}

function endingOf(type: unknown): 'endOfText' | 'stopText' | 'maxTokens' {
  return type === 'word' ? 'stopText' : type === 'limit' ? 'maxTokens' : 'endOfText';
}
