import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { PROTOCOL_VERSION } from '../../../server/src/engine/shared/wire/messages.js';

interface Key {
  readonly address: string;
  readonly secret: string;
}

/** A connection to the owner of a shared model that sends whatever a test wants, and reads frames. */
export class RawGuest {
  readonly socket: Socket;
  /** All messages so far. */
  readonly messages: Record<string, unknown>[] = [];
  readonly closed: Promise<void>;
  readonly #secret: string;
  #bytes = Buffer.alloc(0);

  constructor(keyFile: string) {
    const key = JSON.parse(readFileSync(keyFile, 'utf8')) as Key;
    this.#secret = key.secret;
    this.socket = connect(key.address);
    // The owner may close while something is being written.
    this.socket.on('error', () => undefined);
    this.socket.on('data', (chunk) => this.#read(chunk));
    this.closed = new Promise((resolve) => this.socket.once('close', () => resolve()));
  }

  /** @param length of the frame, as it is announced */
  sendBytes(body: Buffer | string, length = Buffer.byteLength(body)): void {
    const header = Buffer.alloc(4);
    header.writeUInt32BE(length);
    this.socket.write(Buffer.concat([header, Buffer.from(body)]));
  }

  send(message: object): void {
    this.sendBytes(JSON.stringify({ jsonrpc: '2.0', ...message }));
  }

  hello(version: string, changed: object = {}): void {
    this.send({
      id: 0,
      method: 'hello',
      params: { protocol: PROTOCOL_VERSION, version, secret: this.#secret, ...changed },
    });
  }

  answer(id: number): Record<string, unknown> | null {
    return this.messages.find((message) => message.id === id) ?? null;
  }

  /** Why the owner closed the connection; null for none. */
  get reason(): unknown {
    const last = this.messages.find(({ method }) => method === 'disconnected');
    return last === undefined ? null : (last.params as { readonly reason: unknown }).reason;
  }

  #read(chunk: Buffer): void {
    this.#bytes = Buffer.concat([this.#bytes, chunk]);
    while (this.#bytes.length >= 4 && this.#bytes.length >= 4 + this.#bytes.readUInt32BE()) {
      const end = 4 + this.#bytes.readUInt32BE();
      this.messages.push(JSON.parse(this.#bytes.toString('utf8', 4, end)) as Record<string, unknown>);
      this.#bytes = this.#bytes.subarray(end);
    }
  }
}
