import { timingSafeEqual } from 'node:crypto';
import type { Socket } from 'node:net';
import { type CancellationToken, createMessageConnection, type MessageConnection } from 'vscode-jsonrpc/node';
import type { EngineErrorCode, EngineErrorInfo } from '../../../protocol/index.js';
import type { Log } from '../../util/log.js';
import type { Engine } from '../port/engine.js';
import { toEngineError } from '../port/engine-error.js';
import type { ModelFacts } from '../port/model-facts.js';
import { FrameReader, FrameWriter } from './wire/framing.js';
import { HELLO_MS, LONGEST_ANSWER_BYTES, LONGEST_REQUEST_BYTES, MOST_REQUESTS } from './wire/limits.js';
import {
  DETOKENIZE,
  DISCONNECTED,
  FRACTION,
  GENERATE,
  HELLO,
  LOAD,
  OWNER_HEARS,
  PIECE,
  PING,
  PROTOCOL_VERSION,
  RELEASE,
  TOKENIZE,
  type Violation,
} from './wire/messages.js';
import {
  parseDetokenize,
  parseGenerate,
  parseHello,
  parseLoad,
  parseRelease,
  parseTokenize,
} from './wire/parse-request.js';
import { ownerLost, toResponseError } from './wire/wire-error.js';

/** What requests fail with because their engine is being closed. */
const CLOSING: ReadonlySet<EngineErrorCode> = new Set(['closed', 'notLoaded', 'loadCancelled']);

/** What a guest may use. */
export interface Offered {
  readonly engine: Engine;
  readonly version: string;
  readonly secret: string;
  /** Whether one more guest is accepted. */
  readonly hasRoom: () => boolean;
  /** The model is given up: what fails now fails for that reason. */
  readonly isClosing: () => boolean;
  /** The end of the load that the owner has begun. */
  readonly loaded: (onProgress: (fraction: number) => void) => Promise<ModelFacts>;
  /** The drawback of the plan that the model was loaded by; null for none. */
  readonly drawback: () => EngineErrorInfo | null;
  /** What the model takes in this process; 0 while it loads. */
  readonly heldBytes: () => number;
  /** A generation begins or ends. */
  readonly noteUse: (step: 1 | -1) => void;
  /** This process must end: its GPU is lost. */
  readonly onDeviceLost: () => void;
}

/** One connection to an owner, at the owner's side. Whatever comes, it ends this connection at most. */
export class GuestSession {
  readonly #socket: Socket;
  readonly #offered: Offered;
  readonly #log: Log;
  readonly #connection: MessageConnection;
  readonly #generations = new Set<AbortController>();
  readonly #helloTimer: NodeJS.Timeout;
  #isGuest = false;
  #isOver = false;
  #running = 0;

  /** @param onEnd called once, when the connection is gone */
  constructor(socket: Socket, offered: Offered, log: Log, onEnd: () => void) {
    this.#socket = socket;
    this.#offered = offered;
    this.#log = log;
    const reader = new FrameReader(socket, {
      mostBytes: LONGEST_REQUEST_BYTES,
      methods: OWNER_HEARS,
      onViolation: (violation) => this.#disconnect(violation),
    });
    const writer = new FrameWriter(socket, LONGEST_ANSWER_BYTES, () => this.#disconnect('slowReader'));
    this.#connection = createMessageConnection(reader, writer, quietLogger(log));
    this.#helloTimer = setTimeout(() => this.#disconnect('noHello'), HELLO_MS);
    // Its end follows as `close`.
    socket.on('error', (error) => log.debug(`A window's connection failed: ${error.message}`));
    socket.once('close', () => {
      clearTimeout(this.#helloTimer);
      this.#over();
      this.#connection.dispose();
      onEnd();
    });
    this.#handle();
    this.#connection.listen();
  }

  /** Has said hello, so the model is kept for it. */
  get isGuest(): boolean {
    return this.#isGuest;
  }

  /** Answers that are on their way still arrive. */
  end(): void {
    this.#socket.destroySoon();
  }

  #handle(): void {
    const connection = this.#connection;
    connection.onRequest(HELLO, (params) => this.#greet(params));
    this.#serve(LOAD, async (params) => {
      const progress = parseLoad(params);
      const facts = await this.#offered.loaded((fraction) => this.#progress(FRACTION, progress, fraction));
      return { facts, drawback: this.#offered.drawback() };
    });
    this.#serve(GENERATE, async (params, token) => {
      const { request, progress } = parseGenerate(params);
      const aborted = new AbortController();
      const abort = (): void => aborted.abort();
      const registration = token.onCancellationRequested(abort);
      this.#generations.add(aborted);
      this.#offered.noteUse(+1);
      if (token.isCancellationRequested) abort();
      try {
        const result = await this.#engine.generate(
          request,
          (text) => this.#progress(PIECE, progress, text),
          aborted.signal,
        );
        // This process has stopped it: half an answer must not pass for a whole one.
        if (result.stopReason === 'aborted' && !aborted.signal.aborted) throw ownerLost();
        return result;
      } finally {
        registration.dispose();
        this.#generations.delete(aborted);
        this.#offered.noteUse(-1);
      }
    });
    this.#serve(TOKENIZE, (params) => {
      const { text, parseSpecial } = parseTokenize(params);
      return this.#engine.tokenize(text, { parseSpecial });
    });
    this.#serve(DETOKENIZE, (params) => {
      const { tokens, special } = parseDetokenize(params);
      return this.#engine.detokenize(tokens, { special });
    });
    this.#serve(RELEASE, async (params) => this.#engine.release(parseRelease(params)));
    this.#serve(PING, async () => ({ heldBytes: this.#offered.heldBytes() }));
  }

  #greet(params: unknown): object {
    const hello = parseHello(params);
    const { version, secret, hasRoom } = this.#offered;
    const isKnown =
      hello !== null &&
      hello.protocol === PROTOCOL_VERSION &&
      hello.version === version &&
      isSame(hello.secret, secret);
    if (!isKnown) this.#disconnect('wrongHello');
    else if (!this.#isGuest && !hasRoom()) this.#disconnect('tooManyWindows');
    else {
      clearTimeout(this.#helloTimer);
      this.#isGuest = true;
    }
    return { pid: process.pid };
  }

  #serve(
    type: typeof LOAD | typeof GENERATE | typeof PING,
    handle: (params: unknown, token: CancellationToken) => Promise<unknown>,
  ): void {
    this.#connection.onRequest(type as typeof PING, async (params, token) => {
      if (!this.#isGuest) this.#disconnect('noHello');
      else if (this.#running >= MOST_REQUESTS) this.#disconnect('tooManyRequests');
      if (this.#isOver) throw toResponseError(ownerLost());
      this.#running += 1;
      try {
        return (await handle(params, token)) ?? null;
      } catch (thrown) {
        throw toResponseError(this.#reasonOf(thrown));
      } finally {
        this.#running -= 1;
      }
    });
  }

  #reasonOf(thrown: unknown): Error {
    const error = toEngineError(thrown);
    if (error.code === 'deviceLost') this.#offered.onDeviceLost();
    // Only the owner's process has to end for its GPU; the guest goes on with another one.
    const isOfClosing = this.#offered.isClosing() && CLOSING.has(error.code);
    return error.code === 'deviceLost' || isOfClosing ? ownerLost(error) : error;
  }

  #progress(type: typeof PIECE, token: number, value: unknown): void {
    if (this.#isOver) return;
    this.#connection.sendProgress(type, token, value).catch((error: unknown) => {
      this.#log.debug(`A piece of an answer could not be sent: ${String(error)}`);
    });
  }

  /** Sends the reason, then closes. A slow reader does not get it. */
  #disconnect(reason: Violation): void {
    if (this.#isOver) return;
    // First, since writing may find the reader too slow once more.
    this.#over();
    this.#log.warn(`A connection to the shared model was closed (${reason}).`);
    if (reason === 'slowReader') {
      this.#socket.destroy();
      return;
    }
    this.#connection.sendNotification(DISCONNECTED, { reason }).catch((error: unknown) => {
      this.#log.debug(`The reason could not be sent: ${String(error)}`);
    });
    this.#socket.destroySoon();
  }

  /** Nobody waits for what still runs. */
  #over(): void {
    this.#isOver = true;
    for (const generation of this.#generations) generation.abort();
  }

  get #engine(): Engine {
    return this.#offered.engine;
  }
}

/** Takes equally long for any guess. */
function isSame(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** What vscode-jsonrpc notices itself is a consequence of what is logged already. */
export function quietLogger(log: Log) {
  const write = (message: string): void => log.debug(`Shared model: ${message.slice(0, LONGEST_LOGGED)}`);
  return { error: write, warn: write, info: write, log: write };
}

const LONGEST_LOGGED = 300;
