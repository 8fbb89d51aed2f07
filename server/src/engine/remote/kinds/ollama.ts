import {
  amountOrNull,
  contextLengthOf,
  countOrNull,
  type JsonObject,
  listOf,
  numberOf,
  objectOf,
  shownText,
  shownTextOrNull,
  textOf,
} from '../../../util/json.js';
import type { ConversationRequest } from '../../port/engine.js';
import type { GenerateRequest } from '../../port/generation.js';
import type { HttpClient } from '../http/http-client.js';
import { errorMessageOf, protocolError, reportedError } from '../http/remote-error.js';
import { UNMISTAKABLE_MARKERS } from '../prompts/fim-tokens.js';
import { type GenerationPiece, NO_PIECE, type Timings } from '../prompts/generation-record.js';
import { SECTION_PLACEHOLDERS, sidesOf } from '../prompts/section-boundaries.js';
import { conversationWire } from './chat-completions.js';
import { chooseModel } from './choose-model.js';
import type { CompletionWire, OpenRemoteModel, RemoteModel, ServedModelFacts } from './remote-model.js';

/** Ollama's own default, for a model of which it does not say the context length. */
const DEFAULT_CONTEXT = 4096;

/** Ollama loads a model at its first request, which takes as long as its disk needs. */
const LOADING_MS = 300_000;

const NANOSECONDS_IN_MILLISECOND = 1e6;

export const openOllama: OpenRemoteModel = async (http, wanted, signal) => {
  const model = chooseModel(http.host, await listNames(http, signal), wanted);
  const shown = objectOf(await http.post('/api/show', { model }, { signal }));
  // Without a prompt it only loads the model. The list of running models then says the context length.
  await http.post('/api/generate', { model, stream: false }, { signal, wholeAnswerMs: LOADING_MS });
  const running = listOf(objectOf(await http.get('/api/ps', { signal })).models).map(objectOf);
  const present = running.find((each) => each.name === model || each.model === model);
  return new Ollama(http, model, describeModel(model, shown, countOrNull(present?.context_length)));
};

async function listNames(http: HttpClient, signal: AbortSignal): Promise<readonly string[]> {
  const { models } = objectOf(await http.get('/api/tags', { signal }));
  return listOf(models).map((each) => textOf(objectOf(each).name) || textOf(objectOf(each).model));
}

/** @param contextLength of the model as it runs; null where Ollama does not say */
export function describeModel(model: string, shown: JsonObject, contextLength: number | null): ServedModelFacts {
  const details = objectOf(shown.details);
  const info = objectOf(shown.model_info);
  const architecture = shownTextOrNull(info['general.architecture']) ?? shownTextOrNull(details.family);
  const most = contextLengthOf(info[`${architecture}.context_length`], DEFAULT_CONTEXT);
  const capabilities = listOf(shown.capabilities);
  // Older versions name no capabilities; the template shows whether the model fills in the middle.
  const fills = capabilities.includes('insert') || textOf(shown.template).includes('.Suffix');
  return {
    server: 'ollama',
    name: shownText(model),
    architecture,
    quantization: shownTextOrNull(details.quantization_level),
    parameterCount: countOrNull(info['general.parameter_count']),
    fileBytes: null,
    contextLength: contextLengthOf(contextLength, Math.min(DEFAULT_CONTEXT, most)),
    fim: fills ? SECTION_PLACEHOLDERS : null,
    bosToken: null,
    chat: true,
    thinking: capabilities.includes('thinking') ? 'optional' : 'none',
    capabilities: { heals: false, prepares: false, branches: false, tokenizes: false, resumes: false },
  };
}

/** Ollama offers no tokenizer. It gets prefix and suffix as texts, and puts them into its model's own form. */
class Ollama implements RemoteModel {
  readonly #http: HttpClient;
  readonly #model: string;

  constructor(
    http: HttpClient,
    model: string,
    readonly facts: ServedModelFacts,
  ) {
    this.#http = http;
    this.#model = model;
  }

  async isPresent(signal: AbortSignal): Promise<boolean> {
    return (await listNames(this.#http, signal)).includes(this.#model);
  }

  async tokenize(): Promise<readonly number[]> {
    throw protocolError(this.#http.host, 'Ollama has no tokenizer for others');
  }

  async detokenize(): Promise<string> {
    throw protocolError(this.#http.host, 'Ollama has no tokenizer for others');
  }

  async completion({ prompt, maxTokens, stop = [], endsWithFile = false }: GenerateRequest): Promise<CompletionWire> {
    const { prefix, suffix } = sidesOf(prompt);
    const { host } = this.#http;
    return {
      path: '/api/generate',
      format: 'lines',
      body: {
        model: this.#model,
        prompt: prefix,
        // Without a suffix, it would take the prompt for a question.
        suffix: suffix === '' ? '\n' : suffix,
        stream: true,
        logprobs: true,
        // No context length is set: another one would load the model again.
        options: {
          temperature: 0,
          num_predict: Math.max(1, maxTokens),
          stop: endsWithFile ? [...stop, ...UNMISTAKABLE_MARKERS] : stop,
        },
      },
      read: (value) => readOllamaPiece(value, host),
      repeated: '',
      begun: NO_PIECE,
      endTokens: [],
      promptTokens: null,
    };
  }

  conversation(request: ConversationRequest) {
    const isQuiet = this.facts.thinking === 'optional' && !request.think;
    return conversationWire(this.#http.host, this.#model, request, isQuiet ? { reasoning_effort: 'none' } : {});
  }
}

/** One line of the stream of `/api/generate`. @throws EngineError */
export function readOllamaPiece(value: unknown, host: string): GenerationPiece {
  const failure = errorMessageOf(value);
  if (failure !== null) throw reportedError(host, failure);
  const piece = objectOf(value);
  const { response, done, done_reason, logprobs } = piece;
  if (typeof response !== 'string') throw protocolError(host, 'a piece of the completion has no response');
  return {
    ...NO_PIECE,
    text: response,
    logProbabilities: listOf(logprobs).map((each) => numberOf(objectOf(each).logprob)),
    ending: done === true ? (done_reason === 'length' ? 'maxTokens' : 'endOfText') : null,
    timings: done === true ? ollamaTimings(piece) : null,
  };
}

function ollamaTimings(piece: JsonObject): Timings {
  return {
    promptTokens: countOrNull(piece.prompt_eval_count),
    reusedTokens: null,
    generatedTokens: countOrNull(piece.eval_count),
    prefillMs: millisecondsOf(piece.prompt_eval_duration),
    decodeMs: millisecondsOf(piece.eval_duration),
  };
}

function millisecondsOf(nanoseconds: unknown): number | null {
  const known = amountOrNull(nanoseconds);
  return known === null ? null : known / NANOSECONDS_IN_MILLISECOND;
}
