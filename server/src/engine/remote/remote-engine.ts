import { t } from '../../../protocol/index.js';
import type { Log } from '../../util/log.js';
import type {
  ConversationRequest,
  ConversationResult,
  Engine,
  GenerateRequest,
  GenerationResult,
  LoadOptions,
  MemoryReport,
  ModelFacts,
  OnPiece,
} from '../engine.js';
import { EngineError, toEngineError } from '../engine-error.js';
import { detectServer } from './detect-server.js';
import { type ConversationPiece, GenerationRecord, remoteMetrics, type Timings } from './generation-record.js';
import type { HttpClient } from './http-client.js';
import { proxyFor } from './proxy.js';
import { protocolError } from './remote-error.js';
import type { RemoteModel, RemoteModelFacts, WireRequest } from './remote-model.js';
import { parseAddress, type RemoteTarget } from './remote-target.js';

/** After so many requests in a row without any answer in time, the host counts as gone. */
const MOST_SILENT = 3;

/** No server is started anew in so short a time. */
const SAME_SERVER_MS = 500;

/** An API key and the host that it is for; both empty for none. */
export interface RemoteKey {
  readonly origin: string;
  readonly key: string;
}

/**
 * The `Engine` port over HTTP: a model that a server on another host has loaded. Where requests go, and the key with
 * them, is the address that the user named, and nowhere else.
 */
export class RemoteEngine implements Engine {
  readonly #key: RemoteKey;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #log: Log;
  #opened: { readonly http: HttpClient; readonly model: RemoteModel } | null = null;
  #isClosed = false;
  #silent = 0;
  #heardAt = 0;

  constructor(key: RemoteKey, environment: NodeJS.ProcessEnv, log: Log) {
    this.#key = key;
    this.#environment = environment;
    this.#log = log;
  }

  async load(
    { remote }: LoadOptions,
    onProgress: (fraction: number) => void,
    signal: AbortSignal,
  ): Promise<ModelFacts> {
    if (remote === undefined) throw new EngineError('invalidArgument', t('No address of another machine was given'));
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
      throw signal.aborted ? new EngineError('loadCancelled', t('Loading was cancelled')) : toEngineError(error);
    }
  }

  /** Greedy: sampling is for conversations, which `converse` has. */
  async generate(
    request: GenerateRequest,
    onText: (text: string) => void,
    signal: AbortSignal,
  ): Promise<GenerationResult> {
    const { http, model } = this.#ready();
    const { timeBudgetMs = 0, stopTokens = [] } = request;
    const limit = timeBudgetMs > 0 ? AbortSignal.timeout(timeBudgetMs) : null;
    const stop = limit === null ? signal : AbortSignal.any([signal, limit]);
    let record = new GenerationRecord('', 0, onText);
    try {
      const [wire] = await Promise.all([model.completion(request, stop), this.#verify(stop)]);
      record = new GenerationRecord(wire.repeated, wire.promptTokens, onText);
      if (wire.begun.text !== '') record.add(wire.begun);
      let ending: GenerationResult['stopReason'] | null = null;
      for await (const piece of pieces(http, wire, stop)) {
        this.#heard();
        if (piece.tokens.some((token) => stopTokens.includes(token))) return record.result('endOfText');
        if (!record.add(piece)) return record.result('endOfText');
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
    let firstAt: number | null = null;
    let ending: ConversationPiece['ending'] = null;
    let timings: Timings | null = null;
    let count = 0;
    try {
      for await (const piece of pieces(http, model.conversation(request), signal)) {
        firstAt ??= performance.now();
        this.#heard();
        if (piece.thinking !== '' || piece.answer !== '') {
          count += 1;
          onPiece(piece);
        }
        ending ??= piece.ending;
        timings = piece.timings ?? timings;
      }
    } catch (error) {
      if (!signal.aborted && !this.#isClosed) throw await this.#reasonOf(error, signal);
    }
    if (ending === null && !signal.aborted && !this.#isClosed) throw cutOff(http.host);
    const now = performance.now();
    const metrics = remoteMetrics({
      promptTokens: timings?.promptTokens ?? 0,
      reusedTokens: timings?.reusedTokens ?? 0,
      // A server that counts nothing sends a token at a time, as far as anyone knows.
      generatedTokens: timings?.generatedTokens ?? count,
      prefillMs: timings?.prefillMs ?? (firstAt ?? now) - startedAt,
      decodeMs: timings?.decodeMs ?? now - (firstAt ?? now),
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
    this.#log.debug('Nothing is held here for a model on another machine');
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#opened?.http.close();
    this.#opened = null;
  }

  async #connect({ url }: RemoteTarget): Promise<HttpClient> {
    const address = parseAddress(url);
    // Most servers never need it, and it is half of the bundle.
    const { HTTP_LIMITS, HttpClient } = await import('./http-client.js');
    const { origin, key } = this.#key;
    const proxy = proxyFor(address.base, this.#environment);
    if (proxy !== null) this.#log.info(`${address.host} is asked through the proxy ${new URL(proxy).host}`);
    const apiKey = key !== '' && origin === address.origin ? key : null;
    return new HttpClient({ address, apiKey, proxy, limits: HTTP_LIMITS });
  }

  /** Nobody stops such a question; it has its limit of time. */
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
   * Tokens of one vocabulary are nonsense in another. Whether the server was started with another model meanwhile is
   * asked beside the request's own questions, where there was time for that.
   */
  async #verify(signal: AbortSignal): Promise<void> {
    const { model } = this.#ready();
    if (!model.facts.capabilities.tokenizes || performance.now() - this.#heardAt < SAME_SERVER_MS) return;
    if (!(await model.isPresent(signal))) throw this.#gone();
  }

  /** What is not found may be the model: then the host is to be asked anew, as one that was lost. */
  async #reasonOf(thrown: unknown, signal: AbortSignal): Promise<EngineError> {
    const error = toEngineError(thrown);
    if (error.code !== 'remoteNotFound') return error;
    return (await this.#ready().model.isPresent(signal)) ? error : this.#gone();
  }

  #gone(): EngineError {
    const { http, model } = this.#ready();
    return new EngineError('remoteUnreachable', t('{0} no longer has the model {1}', http.host, model.facts.name));
  }

  /** One slow answer is one suggestion less; a host that never answers is another matter. */
  #tooSlow(host: string, timeBudgetMs: number): EngineError {
    this.#silent += 1;
    const sentence = t('{0} did not begin to answer within {1} ms (inkling.completion.timeBudget)', host, timeBudgetMs);
    return new EngineError(this.#silent < MOST_SILENT ? 'remoteSlow' : 'remoteUnreachable', sentence);
  }
}

/** Read to its end, so that the connection can be used again. */
async function* pieces<Piece>(
  http: HttpClient,
  { path, body, format, read }: WireRequest<Piece>,
  signal: AbortSignal,
): AsyncGenerator<Piece, void, undefined> {
  for await (const value of http.stream(path, body, format, signal)) yield read(value);
}

function cutOff(host: string): EngineError {
  return protocolError(host, 'it ended in the middle');
}

function describeFacts({ url, model }: RemoteTarget, host: string, facts: RemoteModelFacts): ModelFacts {
  const { kind, bosToken, contextLength, capabilities, chat, thinking } = facts;
  return {
    path: model === '' ? url : `${url}#${model}`,
    name: facts.name,
    architecture: facts.architecture,
    quantization: facts.quantization,
    fileBytes: facts.fileBytes,
    parameterCount: facts.parameterCount,
    contextLength,
    chatContextLength: contextLength,
    trainingContextLength: contextLength,
    fim: facts.fim,
    bosToken: bosToken ?? -1,
    addBos: bosToken !== null,
    capabilities: { ...capabilities, chat: 'messages' },
    elsewhere: { host, kind, chat, thinking },
    backend: kind,
    // Of these, other machines say nothing.
    weightsBytes: 0,
    layerCount: 0,
    mtpLayerCount: 0,
    embeddingLength: 0,
    vocabularySize: 0,
    recurrent: false,
    canShiftContext: false,
    chatTemplate: null,
    threads: 0,
  };
}
