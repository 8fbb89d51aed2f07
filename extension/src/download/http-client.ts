import { t } from '../../../server/protocol/index.js';
import { connectionError } from './connection-error.js';
import { DownloadError } from './download-error.js';

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

export interface HttpOptions {
  /**
   * The global one by default, looked up at each request. In VS Code's extension host it is VS Code's own, which
   * follows its proxy settings, the system's proxy and the system's certificates.
   */
  readonly fetch?: Fetch;
  /** The access token goes to this origin only, such as `https://huggingface.co`. */
  readonly tokenOrigin: string;
  readonly token: (origin: string) => Promise<string | null>;
  /** Milliseconds without a byte after which a connection counts as dead. */
  readonly stallMs: number;
}

export interface HttpRequest {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Statuses besides 2xx that the caller handles. */
  readonly accept?: readonly number[];
  readonly signal: AbortSignal;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly chunks: AsyncGenerator<Uint8Array, void>;
  /** Ends the connection without reading the rest. */
  discard(): void;
}

const MAX_REDIRECTS = 10;
const REDIRECTS = [301, 302, 303, 307, 308];

/** GET requests for large files: redirects without leaking the token, a limit for stalls, typed failures. */
export class HttpClient {
  readonly #options: HttpOptions;

  constructor(options: HttpOptions) {
    this.#options = options;
  }

  async get(request: HttpRequest): Promise<HttpResponse> {
    let url = parseUrl(request.url);
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      const response = await this.#send(url, request);
      if (!REDIRECTS.includes(response.status)) {
        const failure = this.#failureOf(response, url, request);
        if (failure === null) return response;
        response.discard();
        throw failure;
      }
      response.discard();
      url = redirectTarget(url, response.headers.get('location'));
    }
    throw new DownloadError('server', t('{0} redirects in a loop.', parseUrl(request.url).host));
  }

  /** @throws DownloadError `server` for anything but JSON, and for more JSON than a list of files needs */
  async json(url: string, signal: AbortSignal): Promise<{ readonly value: unknown; readonly headers: Headers }> {
    const response = await this.get({ url, signal });
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of response.chunks) {
      length += chunk.length;
      if (length > MAX_JSON_BYTES) break;
      chunks.push(chunk);
    }
    try {
      return { value: JSON.parse(Buffer.concat(chunks).toString('utf8')), headers: response.headers };
    } catch (error) {
      const { host } = parseUrl(url);
      throw new DownloadError('server', t('{0} did not return a list of files.', host), {
        cause: error,
      });
    }
  }

  async #send(url: URL, { headers, signal }: HttpRequest): Promise<HttpResponse> {
    const token = url.origin === this.#options.tokenOrigin ? await this.#options.token(url.origin) : null;
    // A request would fail with an error that repeats the token.
    if (token !== null && !SENDABLE.test(token)) {
      const message = t('The stored access token for {0} is not valid.', url.host);
      throw new DownloadError('unauthorized', message, { origin: url.origin, access: 'token' });
    }
    const stall = new StallTimer(this.#options.stallMs, signal, url.host);
    try {
      const send: Fetch = this.#options.fetch ?? ((...request) => globalThis.fetch(...request));
      const response = await send(url.href, {
        headers: {
          ...headers,
          // Lengths and ranges count bytes of the file, not of a compressed form.
          'accept-encoding': 'identity',
          'user-agent': 'inkling-vscode',
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
        },
        redirect: 'manual',
        signal: stall.signal,
      });
      stall.restart();
      return {
        status: response.status,
        headers: response.headers,
        chunks: readChunks(response.body?.getReader() ?? null, stall, url.host),
        discard: () => stall.end(),
      };
    } catch (thrown) {
      throw stall.explain(thrown, url.host);
    }
  }

  #failureOf(response: HttpResponse, url: URL, { accept = [] }: HttpRequest): DownloadError | null {
    const { status } = response;
    const { host, origin } = url;
    if ((status >= 200 && status < 300) || accept.includes(status)) return null;
    switch (status) {
      case 401:
      case 403:
        return origin === this.#options.tokenOrigin
          ? unauthorized(response, url)
          : new DownloadError('server', t('{0} refused the download ({1}).', host, status));
      case 404:
      case 410:
        return new DownloadError('notFound', t('{0} has no such file or repository ({1}).', host, status));
      default: {
        const transient = status >= 500 || status === 408 || status === 429;
        return new DownloadError('server', t('{0} returned status {1}.', host, status), { transient });
      }
    }
  }
}

/**
 * As `hf_raise_for_status` of huggingface_hub reads it: for a repository that is not there Hugging Face answers 401, as for
 * a private one, and with a token that is no longer valid also for a public one.
 */
function unauthorized({ status, headers }: HttpResponse, { host, origin, pathname }: URL): DownloadError {
  const code = headers.get('x-error-code');
  if (/^invalid credentials/i.test(headers.get('x-error-message') ?? '')) {
    const message = t('{0} does not accept the stored access token ({1}).', host, status);
    return new DownloadError('unauthorized', message, { origin, access: 'token' });
  }
  const isUnexplained = code === null && status === 401 && pathname.includes('/api/models/');
  if (code === 'RepoNotFound' || isUnexplained) {
    const message = t('{0} has no such repository, or shows it only with an access token ({1}).', host, status);
    return new DownloadError('unauthorized', message, { origin, access: 'hidden' });
  }
  return new DownloadError('unauthorized', t('{0} restricts access to this model ({1}).', host, status), { origin });
}

/** What a header may carry. */
const SENDABLE = /^[\x21-\x7e]+$/;

const MAX_JSON_BYTES = 16 * 2 ** 20;

/** Aborts a request that has stalled, and distinguishes that from the caller's own abort. */
class StallTimer {
  readonly #stalled = new AbortController();
  readonly #outer: AbortSignal;
  readonly #timeoutMs: number;
  readonly #host: string;
  #timer: NodeJS.Timeout | null = null;
  readonly signal: AbortSignal;

  constructor(timeoutMs: number, outer: AbortSignal, host: string) {
    this.#timeoutMs = timeoutMs;
    this.#outer = outer;
    this.#host = host;
    this.signal = AbortSignal.any([outer, this.#stalled.signal]);
    this.restart();
  }

  restart(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#stalled.signal.aborted) return;
    this.#timer = setTimeout(() => {
      const seconds = Math.round(this.#timeoutMs / 1000);
      const message = t('{0} has sent nothing for {1} seconds.', this.#host, seconds);
      this.#stalled.abort(new DownloadError('network', message, { transient: true }));
    }, this.#timeoutMs);
  }

  /** Stops the timer and closes the connection if it is still open. */
  end(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#stalled.abort();
  }

  /** Converts a failed request to a typed error. The caller's abort is thrown as it is. */
  explain(thrown: unknown, host: string): unknown {
    this.end();
    if (this.#outer.aborted) return this.#outer.reason;
    const { reason } = this.#stalled.signal;
    if (reason instanceof DownloadError) return reason;
    if (thrown instanceof DownloadError) return thrown;
    return connectionError(thrown, host);
  }
}

/**
 * @param body a reader that was taken as soon as the answer came. Node's fetch ends a body without a reader once its
 * answer is collected as garbage, and a body of unknown length would then seem complete
 */
async function* readChunks(
  body: ReadableStreamDefaultReader<Uint8Array> | null,
  stall: StallTimer,
  host: string,
): AsyncGenerator<Uint8Array, void> {
  try {
    for (;;) {
      const chunk = await body?.read();
      if (chunk === undefined || chunk.done) return;
      stall.restart();
      yield chunk.value;
    }
  } catch (thrown) {
    throw stall.explain(thrown, host);
  } finally {
    stall.end();
  }
}

function redirectTarget(from: URL, location: string | null): URL {
  if (location === null) throw new DownloadError('server', t('{0} redirects without naming an address.', from.host));
  const target = parseUrl(location, from);
  if (from.protocol === 'https:' && target.protocol !== 'https:') {
    throw new DownloadError('server', t('{0} redirects to an address without https: {1}.', from.host, target.host));
  }
  return target;
}

function parseUrl(text: string, base?: URL): URL {
  const url = URL.canParse(text, base?.href) ? new URL(text, base) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new DownloadError('invalidSource', t('{0} is not a valid download address.', text));
  }
  return url;
}
