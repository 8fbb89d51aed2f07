import type { ConversationRequest, GenerateRequest } from '../engine.js';
import { conversationWire } from './chat-completions.js';
import { chooseModel } from './choose-model.js';
import { type GenerationPiece, NO_PIECE, type Timings } from './generation-record.js';
import type { HttpClient } from './http-client.js';
import { type JsonObject, listOf, numberOf, objectOf, textOf } from './json.js';
import { errorMessageOf, protocolError, reportedError } from './remote-error.js';
import type { CompletionWire, OpenRemoteModel, RemoteModel, RemoteModelFacts } from './remote-model.js';
import { SECTION_PLACEHOLDERS, sidesOf } from './section-boundaries.js';

/** What Ollama gives a model where nobody asks for more, and it does not say. */
const DEFAULT_CONTEXT = 4096;

/** Ollama loads a model when it is first asked, which takes as long as its disk needs. */
const LOADING_MS = 300_000;

const NANOSECONDS = 1e6;

export const openOllama: OpenRemoteModel = async (http, wanted, signal) => {
  const model = chooseModel(http.host, await listNames(http, signal), wanted);
  const shown = objectOf(await http.post('/api/show', { model }, { signal }));
  // Without a prompt it only loads the model; what runs then says how long its context is.
  await http.post('/api/generate', { model, stream: false }, { signal, wholeAnswerMs: LOADING_MS });
  const running = listOf(objectOf(await http.get('/api/ps', { signal })).models).map(objectOf);
  const present = running.find((each) => each.name === model || each.model === model);
  return new Ollama(http, model, describeModel(model, shown, numberOf(present?.context_length)));
};

async function listNames(http: HttpClient, signal: AbortSignal): Promise<readonly string[]> {
  const { models } = objectOf(await http.get('/api/tags', { signal }));
  return listOf(models).map((each) => textOf(objectOf(each).name) || textOf(objectOf(each).model));
}

/** @param contextLength of the model as it runs; 0 where that is not known */
export function describeModel(model: string, shown: JsonObject, contextLength: number): RemoteModelFacts {
  const details = objectOf(shown.details);
  const info = objectOf(shown.model_info);
  const architecture = textOf(info['general.architecture']) || textOf(details.family);
  const most = numberOf(info[`${architecture}.context_length`], DEFAULT_CONTEXT);
  const capabilities = listOf(shown.capabilities);
  // Older ones name no capabilities; their templates show what they can.
  const fills = capabilities.includes('insert') || textOf(shown.template).includes('.Suffix');
  return {
    kind: 'ollama',
    name: model,
    architecture,
    quantization: textOf(details.quantization_level),
    parameterCount: numberOf(info['general.parameter_count']),
    fileBytes: 0,
    contextLength: contextLength > 0 ? contextLength : Math.min(DEFAULT_CONTEXT, most),
    fim: fills ? SECTION_PLACEHOLDERS : null,
    bosToken: null,
    chat: true,
    thinking: capabilities.includes('thinking') ? 'optional' : 'none',
    capabilities: { heals: false, prepares: false, branches: false, tokenizes: false },
  };
}

/** Ollama has no tokenizer for others: it gets prefix and suffix, and puts them into its model's own form. */
class Ollama implements RemoteModel {
  readonly #http: HttpClient;
  readonly #model: string;

  constructor(
    http: HttpClient,
    model: string,
    readonly facts: RemoteModelFacts,
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

  async completion({ prompt, maxTokens, stop = [] }: GenerateRequest): Promise<CompletionWire> {
    const { prefix, suffix } = sidesOf(prompt);
    const { host } = this.#http;
    return {
      path: '/api/generate',
      format: 'lines',
      body: {
        model: this.#model,
        prompt: prefix,
        // Where nothing follows, it would take the prompt for a question.
        suffix: suffix === '' ? '\n' : suffix,
        stream: true,
        logprobs: true,
        // The length of the context is left as it is: another one would load the model again.
        options: { temperature: 0, num_predict: Math.max(1, maxTokens), stop },
      },
      read: (value) => readOllamaPiece(value, host),
      repeated: '',
      begun: NO_PIECE,
      promptTokens: 0,
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
    promptTokens: numberOf(piece.prompt_eval_count),
    reusedTokens: null,
    generatedTokens: numberOf(piece.eval_count),
    prefillMs: numberOf(piece.prompt_eval_duration) / NANOSECONDS,
    decodeMs: numberOf(piece.eval_duration) / NANOSECONDS,
  };
}
