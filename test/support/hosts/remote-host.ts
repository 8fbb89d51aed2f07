import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';

/** A fault in place of a good answer. */
export type Misbehaviour =
  | { readonly kind: 'status'; readonly status: number; readonly body?: string; readonly location?: string }
  /** No answer, and the connection stays open. */
  | { readonly kind: 'silence' }
  /** This many values of a stream, then nothing more. */
  | { readonly kind: 'stall'; readonly after: number }
  /** This many values, then a broken connection. */
  | { readonly kind: 'cut'; readonly after: number }
  /** This many values, then an orderly end in the middle of the answer. */
  | { readonly kind: 'end'; readonly after: number }
  /** Not JSON. */
  | { readonly kind: 'garbage' }
  /** The whole answer, and its end a little later. */
  | { readonly kind: 'linger' }
  /** JSON that is not an answer. */
  | { readonly kind: 'nonsense' }
  /** An error in the middle of the stream, in the form of these kinds of servers. */
  | { readonly kind: 'error'; readonly message: string };

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
  /** Set if the client closed the connection before the answer's end. */
  aborted: boolean;
}

const LINGER_MS = 30;

type Dialect = 'ollama' | 'vllm' | 'openai';

/** The host's answer to everything: one value of a stream each. */
const ANSWER = ['left', ' + ', 'right', ';'];

/** Ids of the special tokens of this host's tokenizer; every other character is its own code. */
export const SPECIAL_TOKENS: Readonly<Record<string, number>> = {
  '<|fim_prefix|>': 900_001,
  '<|fim_suffix|>': 900_002,
  '<|fim_middle|>': 900_003,
  '<|fim_pad|>': 900_004,
  '<|repo_name|>': 900_005,
  '<|file_sep|>': 900_006,
};

export interface RemoteHostOptions {
  readonly tls?: { readonly key: string; readonly cert: string };
  readonly apiKey?: string;
  readonly models?: readonly string[];
}

/** A host on 127.0.0.1 with the API of Ollama, vLLM or another server of OpenAI's kind, and with faults on demand. */
export class RemoteHost {
  readonly requests: SeenRequest[] = [];
  /** Number of connections opened so far. */
  connections = 0;
  /** Its models; a request for any other model gets a 404. */
  models: readonly string[];
  /** What it answers in chats, one value of a stream each. */
  chatAnswer: readonly string[] = ANSWER;
  /** What chats wait for before they are answered; null for nothing. */
  chatHeld: Promise<void> | null = null;
  readonly #dialect: Dialect;
  readonly #options: RemoteHostOptions;
  readonly #server: Server;
  readonly #misbehaviours = new Map<string, Misbehaviour>();

  private constructor(dialect: Dialect, options: RemoteHostOptions) {
    this.#dialect = dialect;
    this.#options = options;
    this.models = options.models ?? ['coder'];
    const listener: RequestListener = (request, response) => void this.#answer(request, response);
    this.#server = options.tls === undefined ? createServer(listener) : createTlsServer(options.tls, listener);
    this.#server.on('connection', () => {
      this.connections += 1;
    });
  }

  static async start(dialect: Dialect, options: RemoteHostOptions = {}): Promise<RemoteHost> {
    const host = new RemoteHost(dialect, options);
    host.#server.listen(0, '127.0.0.1');
    await once(host.#server, 'listening');
    return host;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get address(): string {
    return `${this.#options.tls === undefined ? 'http' : 'https'}://127.0.0.1:${this.port}`;
  }

  /**
   * Sets a fault that lasts until `behave`.
   * @param path of the requests with the fault; `*` for all
   */
  misbehave(path: string, misbehaviour: Misbehaviour): void {
    this.#misbehaviours.set(path, misbehaviour);
  }

  behave(): void {
    this.#misbehaviours.clear();
  }

  /** Bodies of the requests to a path. */
  bodies(path: string): readonly Record<string, unknown>[] {
    return this.requests.filter((each) => each.path === path).map(({ body }) => body as Record<string, unknown>);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await readAll(request);
    // A client of a proxy sends the whole address.
    const path = new URL(request.url ?? '/', 'http://127.0.0.1').pathname;
    const body: unknown = text === '' ? null : JSON.parse(text);
    const seen = { method: request.method ?? '', path, headers: request.headers, body, aborted: false };
    this.requests.push(seen);
    response.on('close', () => {
      seen.aborted = !response.writableEnded;
    });
    if (path === '/v1/chat/completions') await this.chatHeld;
    const misbehaviour = this.#misbehaviours.get(path) ?? this.#misbehaviours.get('*') ?? null;
    const { apiKey } = this.#options;
    if (apiKey !== undefined && request.headers.authorization !== `Bearer ${apiKey}`) {
      // Like some real hosts, it repeats the key that it refuses.
      const message = `Incorrect API key provided: ${request.headers.authorization ?? 'none'}`;
      this.#send(response, 401, { error: { message } });
    } else if (misbehaviour?.kind === 'status') {
      const { status, body: said = '', location } = misbehaviour;
      response.writeHead(status, location === undefined ? {} : { location }).end(said);
    } else if (misbehaviour?.kind === 'garbage') {
      response.end('<html>It works!</html>');
    } else if (misbehaviour?.kind === 'nonsense') {
      this.#send(response, 200, { everything: 'else' });
    } else if (misbehaviour?.kind !== 'silence') {
      this.#route(path, body as Record<string, unknown> | null, response, misbehaviour);
    }
  }

  #route(
    path: string,
    body: Record<string, unknown> | null,
    response: ServerResponse,
    misbehaviour: Misbehaviour | null,
  ): void {
    const whole = wholeAnswer(this.#dialect, path, body, this.models);
    const streamed = streamedAnswer(this.#dialect, path, this.chatAnswer);
    const { model } = body ?? {};
    if (typeof model === 'string' && !this.models.includes(model)) {
      this.#send(response, 404, { error: { message: `The model ${model} does not exist` } });
    } else if (whole !== null) this.#send(response, 200, whole);
    else if (streamed !== null) this.#stream(response, streamed.values, streamed.format, misbehaviour);
    else this.#send(response, 404, { detail: 'Not Found' });
  }

  #send(response: ServerResponse, status: number, value: unknown): void {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  }

  #stream(
    response: ServerResponse,
    values: readonly unknown[],
    format: 'events' | 'lines',
    misbehaviour: Misbehaviour | null,
  ): void {
    const write = (text: string) => response.write(format === 'lines' ? `${text}\n` : `data: ${text}\n\n`);
    response.writeHead(200, { 'content-type': format === 'lines' ? 'application/x-ndjson' : 'text/event-stream' });
    const after = misbehaviour !== null && 'after' in misbehaviour ? misbehaviour.after : values.length;
    for (const value of values.slice(0, after)) write(JSON.stringify(value));
    switch (misbehaviour?.kind) {
      case 'stall':
        return;
      case 'cut':
        // The written bytes must be sent first.
        setImmediate(() => response.socket?.destroy());
        return;
      case 'error':
        write(JSON.stringify({ error: { message: misbehaviour.message } }));
        break;
      case 'end':
        break;
      default:
        if (format === 'events') write('[DONE]');
    }
    if (misbehaviour?.kind === 'linger') setTimeout(() => response.end(), LINGER_MS);
    else response.end();
  }
}

/** Null if this kind of server has no such path, or streams its answer. */
function wholeAnswer(
  dialect: Dialect,
  path: string,
  body: Record<string, unknown> | null,
  models: readonly string[],
): unknown {
  switch (`${dialect} ${path}`) {
    case 'ollama /api/version':
      return { version: '0.40.0' };
    case 'ollama /api/tags':
      return { models: models.map((name) => ({ name, model: name })) };
    case 'ollama /api/ps':
      return { models: models.map((name) => ({ name, context_length: 16_384 })) };
    case 'ollama /api/show':
      return SHOWN_BY_OLLAMA;
    case 'ollama /api/generate':
      return body?.stream === false ? { done: true, done_reason: 'load', response: '' } : null;
    case 'vllm /v1/models':
    case 'openai /v1/models':
      return { data: models.map((id) => ({ id, max_model_len: 12_288 })) };
    case 'vllm /tokenize':
      return { tokens: tokensOf(String(body?.prompt)) };
    case 'vllm /detokenize':
      return { prompt: String.fromCodePoint(...((body?.tokens ?? []) as number[])) };
    default:
      return null;
  }
}

const SHOWN_BY_OLLAMA = {
  template: '{{ .Prompt }}{{ .Suffix }}',
  details: { family: 'qwen2', quantization_level: 'Q4_K_M' },
  model_info: {
    'general.architecture': 'qwen2',
    'general.parameter_count': 1_500_000_000,
    'qwen2.context_length': 32_768,
  },
  capabilities: ['completion', 'insert', 'thinking'],
};

function streamedAnswer(
  dialect: Dialect,
  path: string,
  chatAnswer: readonly string[],
): { readonly values: readonly unknown[]; readonly format: 'events' | 'lines' } | null {
  if (path === '/v1/chat/completions') {
    return {
      values: chatValues(dialect === 'ollama' ? 'reasoning' : 'reasoning_content', chatAnswer),
      format: 'events',
    };
  }
  if (path === '/api/generate' && dialect === 'ollama') return { values: ollamaValues(), format: 'lines' };
  if (path === '/v1/completions' && dialect !== 'ollama') return { values: completionValues(), format: 'events' };
  return null;
}

function ollamaValues(): readonly unknown[] {
  return [
    ...ANSWER.map((text) => ({ response: text, done: false, logprobs: [{ token: text, logprob: -0.1 }] })),
    {
      response: '',
      done: true,
      done_reason: 'stop',
      prompt_eval_count: 40,
      prompt_eval_duration: 8_000_000,
      eval_count: 4,
      eval_duration: 16_000_000,
    },
  ];
}

function completionValues(): readonly unknown[] {
  return [
    ...ANSWER.map((text) => ({
      choices: [{ index: 0, text, logprobs: { token_logprobs: [-0.1] }, finish_reason: null }],
    })),
    { choices: [{ index: 0, text: '', finish_reason: 'stop' }] },
    { choices: [], usage: USAGE },
  ];
}

const USAGE = { prompt_tokens: 40, completion_tokens: 4, prompt_tokens_details: { cached_tokens: 30 } };

function chatValues(reasoning: string, answer: readonly string[]): readonly unknown[] {
  const delta = (value: unknown) => ({ choices: [{ index: 0, delta: value, finish_reason: null }] });
  return [
    delta({ role: 'assistant', content: '' }),
    delta({ [reasoning]: 'Let me see.' }),
    ...answer.map((content) => delta({ content })),
    { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    { choices: [], usage: USAGE },
  ];
}

/** Parses special tokens in any text, like vLLM. */
function tokensOf(text: string): readonly number[] {
  const spelled = new RegExp(`(${Object.keys(SPECIAL_TOKENS).map(escaped).join('|')})`);
  return text.split(spelled).flatMap((piece) => {
    const special = SPECIAL_TOKENS[piece];
    return special === undefined ? Array.from(piece, (character) => character.codePointAt(0) ?? 0) : [special];
  });
}

function escaped(text: string): string {
  return text.replace(/[|<>]/g, '\\$&');
}

async function readAll(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += String(chunk);
  return text;
}
