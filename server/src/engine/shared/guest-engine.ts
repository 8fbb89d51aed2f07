import { connect, type Socket } from 'node:net';
import {
  type CancellationToken,
  CancellationTokenSource,
  createMessageConnection,
  type MessageConnection,
} from 'vscode-jsonrpc/node';
import { type EngineErrorInfo, isText } from '../../../protocol/index.js';
import type { Log } from '../../util/log.js';
import type { Engine, LoadOptions } from '../port/engine.js';
import { toEngineError } from '../port/engine-error.js';
import type { GenerateRequest, GenerationResult } from '../port/generation.js';
import type { MemoryReport, Releasable } from '../port/memory-report.js';
import type { ModelFacts } from '../port/model-facts.js';
import { guestMemory } from './guest-memory.js';
import { quietLogger } from './guest-session.js';
import type { Door } from './offer-folder.js';
import { FrameReader, FrameWriter } from './wire/framing.js';
import {
  HELLO_MS,
  LONGEST_ANSWER_BYTES,
  LONGEST_REQUEST_BYTES,
  MOST_REQUESTS,
  MOST_SILENT_PINGS,
  PING_EVERY_MS,
} from './wire/limits.js';
import {
  DETOKENIZE,
  DISCONNECTED,
  FRACTION,
  GENERATE,
  GUEST_HEARS,
  HELLO,
  LOAD,
  PIECE,
  PING,
  PROTOCOL_VERSION,
  RELEASE,
  TOKENIZE,
} from './wire/messages.js';
import {
  parseFraction,
  parseHeldBytes,
  parseLoaded,
  parseResult,
  parseText,
  parseTokens,
} from './wire/parse-answer.js';
import { fromWire, ownerLost } from './wire/wire-error.js';

/** The others are left to generations, pings and commands. */
const MOST_TOKENIZING = MOST_REQUESTS / 2;

/** The `Engine` port over a socket: a model that the server of another window of this user has loaded. */
export class GuestEngine implements Engine {
  readonly #socket: Socket;
  readonly #log: Log;
  readonly #connection: MessageConnection;
  readonly #pinging: NodeJS.Timeout;
  #heldBytes = 0;
  #drawback: EngineErrorInfo | null = null;
  #silentPings = 0;
  #progress = 0;
  /** Questions to the tokenizer, and those that wait for their turn. */
  #tokenizing = 0;
  readonly #waiting: (() => void)[] = [];
  #isOver = false;
  #isRefused = false;
  #onEnd: (() => void) | null = null;

  private constructor(socket: Socket, log: Log) {
    this.#socket = socket;
    this.#log = log;
    const reader = new FrameReader(socket, {
      mostBytes: LONGEST_ANSWER_BYTES,
      methods: GUEST_HEARS,
      onViolation: (violation) => {
        this.#isRefused = true;
        this.#leave(`its owner sent what is no answer (${violation})`);
      },
    });
    const writer = new FrameWriter(socket, LONGEST_REQUEST_BYTES, () => this.#leave('its owner does not read'));
    this.#connection = createMessageConnection(reader, writer, quietLogger(log));
    this.#connection.onNotification(DISCONNECTED, ({ reason }) => {
      this.#isRefused = reason === 'tooManyWindows';
      log.warn(`The window that runs the model closed the connection (${isText(reason) ? reason.slice(0, 40) : '?'}).`);
    });
    socket.on('error', (error) => log.debug(`The connection to the shared model failed: ${error.message}`));
    socket.once('close', () => this.#end());
    this.#pinging = setInterval(() => this.#ping(), PING_EVERY_MS);
    this.#pinging.unref();
    this.#connection.listen();
  }

  /**
   * Becomes a guest of the owner behind this door. The model may still be loading.
   *
   * @returns `nobody` where no owner is yet, or none any more; `refused` where one is that takes no more windows, or hangs
   */
  static async join({ address, secret }: Door, version: string, log: Log): Promise<GuestEngine | 'nobody' | 'refused'> {
    const socket = await open(address);
    if (socket === null) return 'nobody';
    const guest = new GuestEngine(socket, log);
    const timer = setTimeout(() => {
      guest.#isRefused = true;
      guest.#leave('its owner does not answer');
    }, HELLO_MS);
    try {
      await guest.#ask(() => guest.#connection.sendRequest(HELLO, { protocol: PROTOCOL_VERSION, version, secret }));
      if (!guest.#isOver && !guest.#isRefused) return guest;
    } catch (error) {
      log.debug(`No guest of another window: ${toEngineError(error).message}`);
    } finally {
      clearTimeout(timer);
    }
    guest.#leave('its owner refused this window');
    return guest.#isRefused ? 'refused' : 'nobody';
  }

  /** Waits for the owner's load. Ending the wait leaves the owner alone. */
  async load(_options: LoadOptions, onProgress: (fraction: number) => void, signal: AbortSignal): Promise<ModelFacts> {
    const leave = (): void => this.#leave('this window no longer wants the model');
    signal.addEventListener('abort', leave, { once: true });
    // Aborted while this window looked for the owner.
    if (signal.aborted) leave();
    const progress = this.#nextProgress();
    const registration = this.#connection.onProgress(FRACTION, progress, (value) => {
      const fraction = parseFraction(value);
      if (fraction !== null) onProgress(fraction);
    });
    try {
      const loaded = parseLoaded(await this.#ask(() => this.#connection.sendRequest(LOAD, { progress })));
      this.#drawback = loaded.drawback;
      // The status shows it once the model is ready; nothing would tell of a later change.
      this.#hear(await this.#ask(() => this.#connection.sendRequest(PING, {})));
      return loaded.facts;
    } finally {
      registration.dispose();
      signal.removeEventListener('abort', leave);
    }
  }

  drawback(): EngineErrorInfo | null {
    return this.#drawback;
  }

  async generate(
    request: GenerateRequest,
    onText: (text: string) => void,
    signal: AbortSignal,
  ): Promise<GenerationResult> {
    const progress = this.#nextProgress();
    let length = 0;
    const registration = this.#connection.onProgress(PIECE, progress, (value) => {
      if (!isText(value)) return;
      length += value.length;
      // The answer has all of the text once more.
      if (length > LONGEST_ANSWER_BYTES) this.#leave('its owner sends an answer without an end');
      else onText(value);
    });
    try {
      const ask = (token: CancellationToken) => this.#connection.sendRequest(GENERATE, { request, progress }, token);
      return parseResult(await this.#ask(() => withToken(signal, ask)));
    } finally {
      registration.dispose();
    }
  }

  async tokenize(text: string, { parseSpecial = false } = {}): Promise<readonly number[]> {
    return parseTokens(await this.#inTurn(() => this.#connection.sendRequest(TOKENIZE, { text, parseSpecial })));
  }

  async detokenize(tokens: readonly number[], { special = false } = {}): Promise<string> {
    return parseText(await this.#inTurn(() => this.#connection.sendRequest(DETOKENIZE, { tokens, special })));
  }

  memory(): MemoryReport {
    return guestMemory(this.#heldBytes);
  }

  async release(what: Releasable): Promise<void> {
    await this.#ask(() => this.#connection.sendRequest(RELEASE, { what }));
    this.#ping();
  }

  /** @param listener called once: the owner is gone, and this window did not leave by itself */
  onDidEnd(listener: () => void): void {
    if (this.#isOver) setImmediate(listener);
    else this.#onEnd = listener;
  }

  async close(): Promise<void> {
    this.#onEnd = null;
    this.#socket.destroy();
    this.#end();
  }

  async #ask<T>(send: () => Promise<T>): Promise<T> {
    if (this.#isOver) throw ownerLost();
    try {
      return await send();
    } catch (error) {
      throw fromWire(error);
    }
  }

  /** Callers may have any number of texts, and the owner disconnects a guest that asks too much at once. */
  async #inTurn<T>(send: () => Promise<T>): Promise<T> {
    if (this.#tokenizing < MOST_TOKENIZING) this.#tokenizing += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await this.#ask(send);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#tokenizing -= 1;
      else next();
    }
  }

  #nextProgress(): number {
    this.#progress += 1;
    return this.#progress;
  }

  /** Keeps the memory report fresh, and finds out whether the owner hangs. A machine that slept counts one ping. */
  #ping(): void {
    if (this.#isOver) return;
    if (this.#silentPings >= MOST_SILENT_PINGS) {
      this.#leave('its owner no longer answers');
      return;
    }
    this.#silentPings += 1;
    this.#connection.sendRequest(PING, {}).then(
      (report) => {
        this.#silentPings = 0;
        this.#hear(report);
      },
      (error: unknown) => this.#log.debug(`The owner did not answer: ${String(error)}`),
    );
  }

  #hear(report: unknown): void {
    try {
      this.#heldBytes = parseHeldBytes(report);
    } catch (error) {
      this.#leave(String(error));
    }
  }

  #leave(reason: string): void {
    if (this.#isOver) return;
    this.#log.info(`Leaving the model of another window: ${reason}.`);
    this.#socket.destroy();
    this.#end();
  }

  #end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearInterval(this.#pinging);
    this.#connection.dispose();
    this.#onEnd?.();
    this.#onEnd = null;
  }
}

/** Null where nobody listens. */
function open(address: string): Promise<Socket | null> {
  return new Promise((resolve) => {
    const socket = connect(address);
    const fail = (): void => {
      socket.destroy();
      resolve(null);
    };
    socket.once('error', fail);
    socket.once('connect', () => {
      socket.off('error', fail);
      resolve(socket);
    });
  });
}

/** vscode-jsonrpc cancels by a token; an aborted generation still answers. */
async function withToken<T>(signal: AbortSignal, send: (token: CancellationToken) => Promise<T>): Promise<T> {
  const source = new CancellationTokenSource();
  const cancel = (): void => source.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  if (signal.aborted) cancel();
  try {
    return await send(source.token);
  } finally {
    signal.removeEventListener('abort', cancel);
    source.dispose();
  }
}
