import type { Socket } from 'node:net';
import {
  AbstractMessageReader,
  AbstractMessageWriter,
  type DataCallback,
  type Disposable,
  Message,
  type MessageReader,
  type MessageWriter,
} from 'vscode-jsonrpc/node';
import { isCount, isRecord, isText, t } from '../../../../protocol/index.js';
import { parseJson } from '../../../util/json.js';
import { EngineError } from '../../port/engine-error.js';
import { MOST_WAITING_BYTES } from './limits.js';
import type { Violation } from './messages.js';
import { toWireError } from './wire-error.js';

/** A frame's header is the length of the JSON that follows, in bytes, big-endian. */
const HEADER_BYTES = 4;

export interface ReaderLimits {
  readonly mostBytes: number;
  /** Requests and notifications that this side takes. */
  readonly methods: ReadonlySet<string>;
  /** Called once; nothing is read any more. */
  readonly onViolation: (violation: Violation) => void;
}

/**
 * Reads frames from a socket. vscode-jsonrpc's own reader holds whatever comes; this one looks at a frame's length first.
 * It hands on one message in each turn of the loop and reads nothing meanwhile, so that no queue grows.
 */
export class FrameReader extends AbstractMessageReader implements MessageReader {
  readonly #socket: Socket;
  readonly #limits: ReaderLimits;
  readonly #header = Buffer.alloc(HEADER_BYTES);
  #body: Buffer | null = null;
  /** Bytes of the header, or of the body once there is one. */
  #filled = 0;
  #waiting: Buffer[] = [];
  #isDelivering = false;
  #isOver = false;

  constructor(socket: Socket, limits: ReaderLimits) {
    super();
    this.#socket = socket;
    this.#limits = limits;
  }

  listen(callback: DataCallback): Disposable {
    const take = (chunk: Buffer): void => {
      this.#waiting.push(chunk);
      if (!this.#isDelivering) this.#deliver(callback);
    };
    const close = (): void => this.fireClose();
    this.#socket.on('data', take);
    this.#socket.on('close', close);
    return {
      dispose: () => {
        this.#isOver = true;
        this.#socket.off('data', take);
        this.#socket.off('close', close);
      },
    };
  }

  #deliver(callback: DataCallback): void {
    for (;;) {
      const [chunk] = this.#waiting;
      if (this.#isOver || chunk === undefined) break;
      const used = this.#fill(chunk);
      if (used === chunk.length) this.#waiting.shift();
      else this.#waiting[0] = chunk.subarray(used);
      if (this.#body === null || this.#filled < this.#body.length) continue;
      const body = this.#body;
      this.#body = null;
      this.#filled = 0;
      this.#handOn(body, callback);
      this.#isDelivering = true;
      this.#socket.pause();
      setImmediate(() => {
        this.#isDelivering = false;
        this.#deliver(callback);
      });
      return;
    }
    if (!this.#isOver) this.#socket.resume();
  }

  /** @returns how many bytes of the chunk were taken */
  #fill(chunk: Buffer): number {
    const target = this.#body ?? this.#header;
    const used = chunk.copy(target, this.#filled, 0, target.length - this.#filled);
    this.#filled += used;
    if (this.#body === null && this.#filled === HEADER_BYTES) {
      const length = this.#header.readUInt32BE();
      if (length === 0 || length > this.#limits.mostBytes) this.#end('frameTooLarge');
      // Not cleared, so that memory is taken as bytes arrive and not as they are announced.
      else this.#body = Buffer.allocUnsafeSlow(length);
      this.#filled = 0;
    }
    return used;
  }

  #handOn(body: Buffer, callback: DataCallback): void {
    let message: unknown;
    try {
      message = parseJson(body.toString('utf8'));
    } catch {
      this.#end('notJson');
      return;
    }
    if (!isMessage(message)) this.#end('malformedMessage');
    else if (message.method !== undefined && !this.#limits.methods.has(message.method)) this.#end('unknownMessage');
    else callback(message as unknown as Message);
  }

  #end(violation: Violation): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#waiting = [];
    this.#limits.onViolation(violation);
  }
}

/** Whether a value has the form that vscode-jsonrpc expects. The library throws at some other forms. */
function isMessage(value: unknown): value is { readonly method?: string } {
  if (!isRecord(value) || value.jsonrpc !== '2.0') return false;
  const { id, method, params } = value;
  if (id !== undefined && !isCount(id)) return false;
  if (method === undefined) return id !== undefined && ('result' in value || isRecord(value.error));
  return isText(method) && isRecord(params) && (method !== '$/cancelRequest' || isCount(params.id));
}

/**
 * Writes frames to a socket. What a slow reader leaves there has a limit. A write to a connection that is gone is dropped:
 * its reader hears of the end.
 */
export class FrameWriter extends AbstractMessageWriter implements MessageWriter {
  readonly #socket: Socket;
  readonly #mostBytes: number;
  readonly #onSlow: () => void;

  /** @param onSlow the reader on the other side does not follow */
  constructor(socket: Socket, mostBytes: number, onSlow: () => void) {
    super();
    this.#socket = socket;
    this.#mostBytes = mostBytes;
    this.#onSlow = onSlow;
  }

  /** @throws EngineError `promptTooLong` for a request that the other side would refuse */
  async write(message: Message): Promise<void> {
    const body = Buffer.from(JSON.stringify(message));
    if (body.length > this.#mostBytes) {
      if (!Message.isResponse(message)) throw tooLong(body.length);
      const { jsonrpc, id } = message;
      this.#send(Buffer.from(JSON.stringify({ jsonrpc, id, error: toWireError(tooLong(body.length)) })));
      return;
    }
    this.#send(body);
  }

  end(): void {
    this.#socket.end();
  }

  #send(body: Buffer): void {
    if (this.#socket.destroyed || this.#socket.writableEnded) return;
    const header = Buffer.alloc(HEADER_BYTES);
    header.writeUInt32BE(body.length);
    this.#socket.write(Buffer.concat([header, body]));
    if (this.#socket.writableLength > MOST_WAITING_BYTES) this.#onSlow();
  }
}

function tooLong(bytes: number): EngineError {
  return new EngineError(
    'promptTooLong',
    t('This text is too long for another window: {0} MB', Math.ceil(bytes / 1e6)),
  );
}
