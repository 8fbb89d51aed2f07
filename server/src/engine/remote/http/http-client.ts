import { setTimeout as delay } from 'node:timers/promises';
import { Agent, type Dispatcher, ProxyAgent, request } from 'undici';
import { t } from '../../../../protocol/index.js';
import { errorCode } from '../../../util/error-code.js';
import { parseJson } from '../../../util/json.js';
import { EngineError } from '../../port/engine-error.js';
import type { RemoteAddress } from '../../port/remote-target.js';
import { jsonValues, type StreamFormat } from './answer-stream.js';
import { connectionError, protocolError, statusError, type TimeLimits } from './remote-error.js';

export interface HttpLimits extends TimeLimits {
  readonly connectMs: number;
  /** For an answer that is not streamed, such as a server's description of itself. */
  readonly wholeAnswerMs: number;
  /** For a stream, from the question to its last byte. A server can keep one alive forever. */
  readonly wholeStreamMs: number;
}

export const HTTP_LIMITS: HttpLimits = {
  connectMs: 5_000,
  // A busy machine may need long for a long prompt, and so may one that loads the model first.
  firstByteMs: 120_000,
  stallMs: 30_000,
  wholeAnswerMs: 15_000,
  // A long answer of a slow machine takes minutes.
  wholeStreamMs: 30 * 60_000,
};

export interface HttpClientOptions {
  readonly address: RemoteAddress;
  /** Null for a server that wants none. */
  readonly apiKey: string | null;
  /** Null for none. */
  readonly proxy: string | null;
  readonly limits: HttpLimits;
}

export interface AskOptions {
  readonly signal: AbortSignal;
  /** Replaces `wholeAnswerMs` of the limits. */
  readonly wholeAnswerMs?: number;
}

/** Longer answers, and longer error messages, are refused. */
const LONGEST_ANSWER = 16 * 2 ** 20;
const LONGEST_STREAM = 64 * 2 ** 20;
const LONGEST_ERROR = 64 * 2 ** 10;

/** After the last value of a stream, its end comes within this time or not at all. */
const END_MS = 1_000;

/**
 * JSON over HTTP with one host, and with no other: redirects are refused, so the API key stays where it belongs. Every
 * failure is an `EngineError` that names the host; an abort closes the connection at once.
 */
export class HttpClient {
  readonly host: string;
  readonly #options: HttpClientOptions;
  readonly #dispatcher: Dispatcher;

  constructor(options: HttpClientOptions) {
    const { address, proxy, limits } = options;
    this.#options = options;
    this.host = address.host;
    const agent = { connect: { timeout: limits.connectMs }, keepAliveTimeout: 20_000 };
    this.#dispatcher =
      proxy === null
        ? new Agent(agent)
        : // Plain HTTP uses no tunnel: most proxies allow tunnels only to the port of HTTPS.
          new ProxyAgent({ ...agent, uri: proxy, proxyTunnel: address.base.startsWith('https:') });
  }

  /** @throws EngineError, also where the signal is aborted */
  async get(path: string, options: AskOptions): Promise<unknown> {
    return this.#whole('GET', path, null, options);
  }

  /** @throws EngineError, also where the signal is aborted */
  async post(path: string, body: unknown, options: AskOptions): Promise<unknown> {
    return this.#whole('POST', path, body, options);
  }

  /**
   * Asks a question whose answer is a stream. Ends quietly when the signal is aborted or the caller stops reading.
   * @throws EngineError
   */
  async *stream(
    path: string,
    body: unknown,
    format: StreamFormat,
    signal: AbortSignal,
  ): AsyncGenerator<unknown, void, undefined> {
    const limit = AbortSignal.timeout(this.#options.limits.wholeStreamMs);
    try {
      const { firstByteMs } = this.#options.limits;
      const answer = await this.#send('POST', path, body, AbortSignal.any([signal, limit]), firstByteMs);
      // The reader gets read errors from the iterator. This listener catches the error of an abandoned body.
      answer.on('error', () => undefined);
      let isWhole = false;
      try {
        const chunks = inTime(answer, answer.iterator({ destroyOnReturn: false }), this.#options.limits);
        yield* jsonValues(atMost(LONGEST_STREAM, chunks), format);
        isWhole = true;
      } finally {
        if (isWhole) leaveToEnd(answer);
        else answer.destroy();
      }
    } catch (thrown) {
      if (signal.aborted) return;
      throw limit.aborted ? protocolError(this.host, `${path} has no end`) : this.#explain(thrown);
    }
  }

  /** Ends all running requests. */
  async close(): Promise<void> {
    await this.#dispatcher.destroy();
  }

  async #whole(method: 'GET' | 'POST', path: string, body: unknown, options: AskOptions): Promise<unknown> {
    const limitMs = options.wholeAnswerMs ?? this.#options.limits.wholeAnswerMs;
    const limit = AbortSignal.timeout(limitMs);
    const signal = AbortSignal.any([options.signal, limit]);
    try {
      // The limit for the whole answer ends this wait too. A server that loads a model says nothing until then.
      const answer = await this.#send(method, path, body, signal, 0);
      return parseJson(await readText(answer, LONGEST_ANSWER));
    } catch (thrown) {
      if (options.signal.aborted) throw new EngineError('loadCancelled', t('Loading was cancelled'));
      if (limit.aborted) {
        throw new EngineError(
          'remoteUnreachable',
          t('{0} did not start to answer within {1} s', this.host, limitMs / 1000),
        );
      }
      throw this.#explain(thrown);
    }
  }

  /** The body of a successful answer. @param firstByteMs 0 for no limit besides the signal */
  async #send(method: 'GET' | 'POST', path: string, body: unknown, signal: AbortSignal, firstByteMs: number) {
    const { address, apiKey, limits } = this.#options;
    const ask = () =>
      request(`${address.base}${path}`, {
        dispatcher: this.#dispatcher,
        method,
        headers: {
          accept: 'application/json, text/event-stream, application/x-ndjson',
          'user-agent': 'inkling',
          ...(body === null ? {} : { 'content-type': 'application/json' }),
          ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
        },
        body: body === null ? null : JSON.stringify(body, wellFormed),
        signal,
        headersTimeout: firstByteMs,
        // Streams have limits of their own.
        bodyTimeout: firstByteMs === 0 ? limits.stallMs : 0,
      });
    // The server may close a kept connection at the moment when it is used again.
    const {
      statusCode,
      headers,
      body: answer,
    } = await ask().catch(async (error: unknown) => {
      if (signal.aborted || !isClosedConnection(error)) throw error;
      await delay(0);
      return ask();
    });
    if (statusCode >= 200 && statusCode < 300) return answer;
    // Nobody should wait long for an error message. If it cannot be read, the status is reported without it.
    const hurry = setTimeout(() => answer.destroy(), limits.wholeAnswerMs);
    const said = await readText(answer, LONGEST_ERROR).catch(() => '');
    clearTimeout(hurry);
    const { location } = headers;
    const target = typeof location === 'string' ? this.#withoutKey(location) : null;
    throw statusError(statusCode, target, this.#withoutKey(said), this.host);
  }

  #explain(thrown: unknown): EngineError {
    if (thrown instanceof SyntaxError) return protocolError(this.host, thrown.message, thrown);
    const { proxy, limits } = this.#options;
    const peer = proxy === null ? this.host : t('The proxy {0}', new URL(proxy).host);
    return connectionError(thrown, this.host, limits, peer);
  }

  /** The error for people and the log: some servers repeat a key that they refuse, in whatever they say. */
  conceal(error: EngineError): EngineError {
    const message = this.#withoutKey(error.message);
    // Nor does its cause go to the log.
    return message === error.message ? error : new EngineError(error.code, message);
  }

  #withoutKey(text: string): string {
    const { apiKey } = this.#options;
    return apiKey === null ? text : text.replaceAll(apiKey, '(the key)');
  }
}

/** Reads past OpenAI's `[DONE]` to the real end of the stream, since only then the connection can be used again. */
function leaveToEnd(answer: Dispatcher.ResponseData['body']): void {
  answer.dump({ limit: Number.MAX_SAFE_INTEGER, signal: AbortSignal.timeout(END_MS) }).catch(() => answer.destroy());
}

function isClosedConnection(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'UND_ERR_SOCKET' || code === 'ECONNRESET' || code === 'EPIPE';
}

/** @throws SyntaxError for what is longer than the limit, in bytes */
async function readText(chunks: AsyncIterable<Uint8Array>, limit: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of atMost(limit, chunks)) text += decoder.decode(chunk, { stream: true });
  return text + decoder.decode();
}

/** A document, or a cut in one, may hold half of a surrogate pair. Many servers refuse a body with one. */
function wellFormed(_name: string, value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed() : value;
}

/** Ends a stream that stalls. Many servers send the headers at once and then read the question, which may take long. */
async function* inTime(
  answer: Dispatcher.ResponseData['body'],
  chunks: AsyncIterable<Uint8Array>,
  { firstByteMs, stallMs }: TimeLimits,
): AsyncGenerator<Uint8Array, void, undefined> {
  const limit = (code: string, ms: number) =>
    setTimeout(() => answer.destroy(Object.assign(new Error('nothing came in time'), { code })), ms);
  let timer = limit('UND_ERR_HEADERS_TIMEOUT', firstByteMs);
  try {
    for await (const chunk of chunks) {
      clearTimeout(timer);
      yield chunk;
      timer = limit('UND_ERR_BODY_TIMEOUT', stallMs);
    }
  } finally {
    clearTimeout(timer);
  }
}

/** @throws SyntaxError beyond the limit, in bytes */
async function* atMost(limit: number, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.byteLength;
    if (bytes > limit) throw new SyntaxError('it has no end');
    yield chunk;
  }
}
