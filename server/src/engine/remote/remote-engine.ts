import { t } from '../../../protocol/index.js';
import type { Log } from '../../util/log.js';
import type { ConversationRequest, ConversationResult, Engine, LoadOptions, OnPiece } from '../port/engine.js';
import { EngineError, toEngineError } from '../port/engine-error.js';
import type { GenerateRequest, GenerationResult } from '../port/generation.js';
import type { MemoryReport } from '../port/memory-report.js';
import { BLANK_CARD, type RemoteModelFacts } from '../port/model-facts.js';
import { parseAddress, type RemoteTarget } from '../port/remote-target.js';
import type { HttpClient } from './http/http-client.js';
import { proxyFor } from './http/proxy.js';
import { protocolError } from './http/remote-error.js';
import { detectServer } from './kinds/detect-server.js';
import type { RemoteModel, ServedModelFacts, WireRequest } from './kinds/remote-model.js';
import { type ConversationPiece, GenerationRecord, remoteMetrics, type Timings } from './prompts/generation-record.js';

/** After so many requests in a row without an answer in time, the host counts as gone. */
const MOST_SILENT = 3;

/** No server restarts in so short a time. */
const SAME_SERVER_MS = 500;

/** An API key and the origin that it is for; both empty for none. */
export interface RemoteKey {
  readonly origin: string;
  readonly key: string;
}

/**
 * The `Engine` port over HTTP: a model that a server on another host has loaded. Requests, and the key with them, go to
 * the address that the user named and nowhere else.
 */
export class RemoteEngine implements Engine {
  readonly #key: RemoteKey;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #log: Log;
  #opened: { readonly http: HttpClient; readonly model: RemoteModel } | null = null;
  #isClosed = false;
  #silent = 0;
  #heardAt = 0;
  /** Conversations that were asked and not answered yet. */
  #conversing = 0;

  constructor(key: RemoteKey, environment: NodeJS.ProcessEnv, log: Log) {
    this.#key = key;
    this.#environment = environment;
    this.#log = log;
  }

  async load(
    { remote }: LoadOptions,
    onProgress: (fraction: number) => void,
    signal: AbortSignal,
  ): Promise<RemoteModelFacts> {
    if (remote === undefined) throw new EngineError('invalidArgument', t('No remote server address is set'));
    const http = await this.#connect(remote);
    try {
      const open = await detectServer(http, remote.kind, signal);
      onProgress(0.5);
      const model = await open(http, remote.model, signal);
      this.#opened = { http, model };
      this.#heard();
      return describeFacts(remote, http.host, model.facts);
    } catch (error) {
      await http.close();
      if (signal.aborted) throw new EngineError('loadCancelled', t('Loading was cancelled'));
      throw http.conceal(toEngineError(error));
    }
  }

  /** Greedy: sampling is for conversations, which `converse` has. */
  async generate(
    request: GenerateRequest,
    onText: (text: string) => void,
    signal: AbortSignal,
  ): Promise<GenerationResult> {
    const { http, model } = this.#ready();
    const { timeBudgetMs = 0 } = request;
    const limit = timeBudgetMs > 0 ? AbortSignal.timeout(timeBudgetMs) : null;
    const stop = limit === null ? signal : AbortSignal.any([signal, limit]);
    let record = new GenerationRecord('', null, onText);
    try {
      const [wire] = await Promise.all([model.completion(request, stop), this.#verify(stop)]);
      record = new GenerationRecord(wire.repeated, wire.promptTokens, onText);
      if (wire.begun.text !== '') record.add(wire.begun);
      let ending: GenerationResult['stopReason'] | null = null;
      for await (const piece of pieces(http, wire, stop)) {
        this.#heard();
        if (piece.tokens.some((token) => wire.endTokens.includes(token))) return record.result('endOfText');
        if (!record.add(piece)) return record.result('endOfText');
        if (record.size > longestAnswer(request.maxTokens)) throw tooLong(http.host);
        ending ??= piece.ending;
      }
      if (ending !== null) return record.result(ending);
    } catch (error) {
      if (!stop.aborted && !this.#isClosed) throw await this.#reasonOf(error, stop);
    }
    if (!stop.aborted && !this.#isClosed) throw cutOff(http.host);
    if (limit?.aborted !== true || signal.aborted) return record.result('aborted');
    if (record.isEmpty) throw this.#tooSlow(http.host, timeBudgetMs);
    return record.result('timeBudget');
  }

  async converse(request: ConversationRequest, onPiece: OnPiece, signal: AbortSignal): Promise<ConversationResult> {
    const { http, model } = this.#ready();
    const startedAt = performance.now();
    this.#conversing += 1;
    let firstAt: number | null = null;
    let ending: ConversationPiece['ending'] = null;
    let timings: Timings | null = null;
    let count = 0;
    let size = 0;
    try {
      for await (const piece of pieces(http, model.conversation(request), signal)) {
        firstAt ??= performance.now();
        this.#heard();
        if (piece.thinking !== '' || piece.answer !== '') {
          count += 1;
          size += piece.thinking.length + piece.answer.length;
          if (size > longestAnswer(request.maxTokens)) throw tooLong(http.host);
          onPiece(piece);
        }
        ending ??= piece.ending;
        timings = piece.timings ?? timings;
      }
    } catch (error) {
      if (!signal.aborted && !this.#isClosed) throw await this.#reasonOf(error, signal);
    } finally {
      this.#conversing -= 1;
    }
    if (ending === null && !signal.aborted && !this.#isClosed) throw cutOff(http.host);
    const now = performance.now();
    const metrics = remoteMetrics(timings, {
      promptTokens: null,
      // Servers that do not count usually send one token at a time.
      generatedTokens: count,
      prefillMs: (firstAt ?? now) - startedAt,
      decodeMs: now - (firstAt ?? now),
    });
    return { stopReason: ending ?? 'aborted', metrics };
  }

  async tokenize(text: string, { parseSpecial = false } = {}): Promise<readonly number[]> {
    return this.#askTokenizer((model, signal) => model.tokenize(text, parseSpecial, signal));
  }

  async detokenize(tokens: readonly number[], { special = false } = {}): Promise<string> {
    return this.#askTokenizer((model, signal) => model.detokenize(tokens, special, signal));
  }

  memory(): MemoryReport | null {
    return null;
  }

  /** Nothing is held here. */
  async release(): Promise<void> {
    this.#log.debug('Nothing is held here for a model on a remote server');
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#opened?.http.close();
    this.#opened = null;
  }

  async #connect({ url }: RemoteTarget): Promise<HttpClient> {
    const address = parseAddress(url);
    // Loaded only here: most users never need it, and it is half of the bundle.
    const { HTTP_LIMITS, HttpClient } = await import('./http/http-client.js');
    const { origin, key } = this.#key;
    const proxy = proxyFor(address.base, this.#environment);
    if (proxy !== null) this.#log.info(`${address.host} is asked through the proxy ${new URL(proxy).host}`);
    const apiKey = key !== '' && origin === address.origin ? key : null;
    try {
      return new HttpClient({ address, apiKey, proxy, limits: HTTP_LIMITS });
    } catch (error) {
      // Only a proxy is refused, such as one of a kind that undici does not know.
      if (proxy === null) throw error;
      const { message } = toEngineError(error);
      throw new EngineError('remoteNotFound', t('The proxy {0} cannot be used: {1}', new URL(proxy).host, message));
    }
  }

  /** Nothing aborts such a question; the client's time limit ends it. */
  async #askTokenizer<T>(ask: (model: RemoteModel, signal: AbortSignal) => Promise<T>): Promise<T> {
    const { model } = this.#ready();
    const { signal } = new AbortController();
    try {
      const answer = await ask(model, signal);
      this.#heard();
      return answer;
    } catch (error) {
      throw this.#isClosed ? toEngineError(error) : await this.#reasonOf(error, signal);
    }
  }

  #ready() {
    if (this.#opened === null) throw new EngineError('notLoaded', t('No model is loaded'));
    return this.#opened;
  }

  #heard(): void {
    this.#silent = 0;
    this.#heardAt = performance.now();
  }

  /**
   * Tokens of one vocabulary are nonsense in another. So this asks, beside the request's own questions, whether the server
   * still has the model, if it had the time to restart with another one.
   */
  async #verify(signal: AbortSignal): Promise<void> {
    const { model } = this.#ready();
    if (!model.facts.capabilities.tokenizes || performance.now() - this.#heardAt < SAME_SERVER_MS) return;
    if (!(await model.isPresent(signal))) throw this.#gone();
  }

  /** If the server no longer has the model, the host counts as lost and is asked again from the start. */
  async #reasonOf(thrown: unknown, signal: AbortSignal): Promise<EngineError> {
    const error = toEngineError(thrown);
    if (error.code !== 'remoteNotFound') return error;
    return (await this.#ready().model.isPresent(signal)) ? error : this.#gone();
  }

  #gone(): EngineError {
    const { http, model } = this.#ready();
    return new EngineError('remoteUnreachable', t('{0} no longer has the model {1}', http.host, model.facts.name));
  }

  /**
   * One slow answer costs one suggestion; a host that never answers is gone. While one reads a question it may begin nothing
   * else for a minute, and that question has a time limit of its own.
   */
  #tooSlow(host: string, timeBudgetMs: number): EngineError {
    if (this.#conversing === 0) this.#silent += 1;
    const sentence = t('{0} did not start to answer within {1} ms (inkling.completion.timeBudget)', host, timeBudgetMs);
    return new EngineError(this.#silent < MOST_SILENT ? 'remoteSlow' : 'remoteUnreachable', sentence);
  }
}

/** Reads to the end, so that the connection can be used again. */
async function* pieces<Piece>(
  http: HttpClient,
  { path, body, format, read }: WireRequest<Piece>,
  signal: AbortSignal,
): AsyncGenerator<Piece, void, undefined> {
  try {
    for await (const value of http.stream(path, body, format, signal)) yield read(value);
  } catch (error) {
    throw http.conceal(toEngineError(error));
  }
}

/** Characters that an answer of so many tokens may have. Some servers do not stop where they are told to. */
function longestAnswer(maxTokens: number): number {
  return SHORT_ANSWER + Math.min(maxTokens * CHARACTERS_PER_TOKEN, LONG_ANSWER);
}

const SHORT_ANSWER = 4096;
const LONG_ANSWER = 16 * 2 ** 20;
/** The longest tokens of common vocabularies are runs of 128 blanks. */
const CHARACTERS_PER_TOKEN = 128;

function tooLong(host: string): EngineError {
  return protocolError(host, 'it is longer than was asked for');
}

function cutOff(host: string): EngineError {
  return protocolError(host, 'it ended in the middle');
}

function describeFacts({ url, model }: RemoteTarget, host: string, facts: ServedModelFacts): RemoteModelFacts {
  return {
    ...facts,
    kind: 'remote',
    path: model === '' ? url : `${url}#${model}`,
    host,
    chatContextLength: facts.contextLength,
    addBos: facts.bosToken !== null,
    // A server tokenizes as its model's vocabulary says.
    leadingBlank: false,
    ...BLANK_CARD,
  };
}
