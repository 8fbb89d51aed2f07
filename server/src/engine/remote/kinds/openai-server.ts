import { contextLengthOf, listOf, numberOf, objectOf, shownText, textOf } from '../../../util/json.js';
import type { ConversationRequest } from '../../port/engine.js';
import { EngineError } from '../../port/engine-error.js';
import type { GenerateRequest } from '../../port/generation.js';
import type { HttpClient } from '../http/http-client.js';
import { errorMessageOf, protocolError, reportedError } from '../http/remote-error.js';
import { findFileMarkers, findFimTokens, piecesWithoutSpecials, UNMISTAKABLE_MARKERS } from '../prompts/fim-tokens.js';
import { type GenerationPiece, NO_PIECE } from '../prompts/generation-record.js';
import { SECTION_PLACEHOLDERS, sidesOf } from '../prompts/section-boundaries.js';
import { TokenCache, tokensOfText } from '../prompts/token-cache.js';
import { conversationWire, timingsOf } from './chat-completions.js';
import { chooseListedModel, listModels } from './listed-models.js';
import type { CompletionWire, OpenRemoteModel, RemoteModel, ServedModelFacts } from './remote-model.js';

/** For a server that does not say its context length. */
const DEFAULT_CONTEXT = 8192;

/** Questions to the tokenizer: a file may spell hundreds of special tokens, and a key cannot wait for so many answers. */
const MOST_AT_ONCE = 8;

/** OpenAI's interface refuses a request with more stop texts. */
const MOST_STOPS = 4;

export const openOpenAiServer: OpenRemoteModel = async (http, wanted, signal) => {
  const { id, listed } = await chooseListedModel(http, wanted, signal);
  const tokenizer = new VllmTokenizer(http, id);
  const start = await tokenizer.start(signal);
  const tokenizes = start !== null;
  const tokenize = (text: string) => tokenizer.tokenize(text, true, signal);
  const facts: ServedModelFacts = {
    server: tokenizes ? 'vllm' : 'openai',
    name: shownText(id.split('/').at(-1) ?? id),
    architecture: null,
    quantization: null,
    parameterCount: null,
    fileBytes: null,
    contextLength: contextLengthOf(listed.max_model_len, DEFAULT_CONTEXT),
    fim: tokenizes ? await findFimTokens(tokenize, [id, textOf(listed.root)]) : SECTION_PLACEHOLDERS,
    bosToken: start?.[0] ?? null,
    chat: true,
    thinking: 'none',
    capabilities: { heals: false, prepares: tokenizes, branches: false, tokenizes, resumes: false },
  };
  return new OpenAiServer(http, id, tokenizer, facts, tokenizes ? await findFileMarkers(tokenize) : []);
};

/**
 * A server with OpenAI's interface. vLLM has no `suffix`, but it has a tokenizer and takes token ids: it gets our own
 * prompt, in which the typed text starts the middle and stays as it is. Others get prefix and suffix as texts.
 */
class OpenAiServer implements RemoteModel {
  readonly #http: HttpClient;
  readonly #model: string;
  readonly #tokenizer: VllmTokenizer;
  readonly #tokens: TokenCache;
  readonly #fileMarkers: readonly number[];

  constructor(
    http: HttpClient,
    model: string,
    tokenizer: VllmTokenizer,
    readonly facts: ServedModelFacts,
    fileMarkers: readonly number[],
  ) {
    this.#http = http;
    this.#model = model;
    this.#tokenizer = tokenizer;
    this.#fileMarkers = fileMarkers;
    this.#tokens = new TokenCache((text, signal) => tokenizer.tokenize(text, false, signal));
  }

  async isPresent(signal: AbortSignal): Promise<boolean> {
    return (await listModels(this.#http, signal)).some(({ id }) => id === this.#model);
  }

  tokenize(text: string, parseSpecial: boolean, signal: AbortSignal): Promise<readonly number[]> {
    return this.#tokenizer.tokenize(text, parseSpecial, signal);
  }

  detokenize(tokens: readonly number[], _special: boolean, signal: AbortSignal): Promise<string> {
    return this.#tokenizer.detokenize(tokens, signal);
  }

  async completion(request: GenerateRequest, signal: AbortSignal): Promise<CompletionWire> {
    const { maxTokens, stop = [], stopTokens = [], endsWithFile = false } = request;
    const { host } = this.#http;
    const ids = this.facts.capabilities.tokenizes ? await this.#tokens.idsOf(request.prompt, signal) : null;
    const { prefix, suffix } = sidesOf(request.prompt);
    const room = Math.max(0, MOST_STOPS - stop.length);
    const endTexts = endsWithFile && ids === null ? [...stop, ...UNMISTAKABLE_MARKERS.slice(0, room)] : stop;
    const endTokens = endsWithFile ? [...stopTokens, ...this.#fileMarkers] : stopTokens;
    return {
      path: '/v1/completions',
      format: 'events',
      body: {
        model: this.#model,
        // The interface allows no answer of zero tokens, and one token costs next to nothing.
        max_tokens: Math.max(1, maxTokens),
        temperature: 0,
        stream: true,
        stream_options: { include_usage: true },
        logprobs: 1,
        ...(endTexts.length === 0 ? {} : { stop: endTexts }),
        ...(ids === null
          ? { prompt: prefix, suffix }
          : { prompt: ids, add_special_tokens: false, stop_token_ids: endTokens }),
      },
      read: (value) => readCompletionPiece(value, host),
      repeated: '',
      begun: NO_PIECE,
      endTokens,
      promptTokens: ids?.length ?? null,
    };
  }

  conversation(request: ConversationRequest) {
    const extras =
      this.facts.server === 'vllm'
        ? { top_k: request.topK, chat_template_kwargs: { enable_thinking: request.think } }
        : {};
    return conversationWire(this.#http.host, this.#model, request, extras);
  }
}

/** vLLM's, beside OpenAI's interface. It reads special tokens wherever they are spelled. */
class VllmTokenizer {
  readonly #http: HttpClient;
  readonly #model: string;

  constructor(http: HttpClient, model: string) {
    this.#http = http;
    this.#model = model;
  }

  /** What the model wants before every text: a token, or none; null where the server has no tokenizer. */
  async start(signal: AbortSignal): Promise<readonly number[] | null> {
    try {
      return await this.#ask('', true, signal);
    } catch (error) {
      const isAbsent =
        error instanceof EngineError && (error.code === 'remoteNotFound' || error.code === 'remoteFailed');
      if (isAbsent && !signal.aborted) return null;
      throw error;
    }
  }

  async tokenize(text: string, parseSpecial: boolean, signal: AbortSignal): Promise<readonly number[]> {
    const pieces = parseSpecial ? [text] : piecesWithoutSpecials(text);
    const tokens: number[] = [];
    for (let at = 0; at < pieces.length; at += MOST_AT_ONCE) {
      const some = pieces.slice(at, at + MOST_AT_ONCE);
      const found = await Promise.all(some.map((piece) => this.#ask(piece, false, signal)));
      for (const token of found.flat()) tokens.push(token);
    }
    return tokens;
  }

  async detokenize(tokens: readonly number[], signal: AbortSignal): Promise<string> {
    const { prompt } = objectOf(await this.#http.post('/detokenize', { model: this.#model, tokens }, { signal }));
    if (typeof prompt !== 'string') throw protocolError(this.#http.host, '/detokenize gave no text');
    return prompt;
  }

  async #ask(prompt: string, add_special_tokens: boolean, signal: AbortSignal): Promise<readonly number[]> {
    const question = { model: this.#model, prompt, add_special_tokens };
    const { tokens } = objectOf(await this.#http.post('/tokenize', question, { signal }));
    return tokensOfText(tokens, prompt, this.#http.host);
  }
}

/** One value of the stream of `/v1/completions`. @throws EngineError */
export function readCompletionPiece(value: unknown, host: string): GenerationPiece {
  const failure = errorMessageOf(value);
  if (failure !== null) throw reportedError(host, failure);
  const { choices, usage, timings } = objectOf(value);
  if (!Array.isArray(choices)) throw protocolError(host, 'a piece of the completion has no choices');
  const choice = objectOf(choices[0]);
  const reason = textOf(choice.finish_reason);
  return {
    ...NO_PIECE,
    text: textOf(choice.text),
    logProbabilities: listOf(objectOf(choice.logprobs).token_logprobs).map((each) => numberOf(each)),
    ending: reason === '' ? null : reason === 'length' ? 'maxTokens' : 'endOfText',
    timings: timingsOf(usage, timings),
  };
}
