import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';

/** The bytes of an answer as they go over the wire, headers included, and what follows them. */
export interface HostileAnswer {
  readonly parts: readonly (string | Uint8Array)[];
  /** `forever` sends the last part again and again, as fast as the client reads or every few milliseconds. */
  readonly afterwards?: 'close' | 'silence' | 'forever';
  readonly everyMs?: number;
  /** How long the first part waits. */
  readonly firstAfterMs?: number;
}

/** A host on 127.0.0.1 that answers each request with any bytes. */
export class HostileHost {
  /** By path; `*` for the others. */
  readonly answers = new Map<string, HostileAnswer>();
  /** Bytes given to the system, of all answers. */
  sentBytes = 0;
  openConnections = 0;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor() {
    this.#server = createServer((socket) => this.#serve(socket));
  }

  static async start(): Promise<HostileHost> {
    const host = new HostileHost();
    host.#server.listen(0, '127.0.0.1');
    await once(host.#server, 'listening');
    return host;
  }

  get address(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The same answer to everything. */
  answer(parts: HostileAnswer['parts'], options: Omit<HostileAnswer, 'parts'> = {}): void {
    this.answers.clear();
    this.answers.set('*', { parts, ...options });
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #serve(socket: Socket): void {
    this.openConnections += 1;
    this.#sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      this.openConnections -= 1;
      this.#sockets.delete(socket);
    });
    let asked = '';
    socket.setEncoding('latin1').on('data', (text: string) => {
      asked += text;
      for (let request = takeRequest(asked); request !== null; request = takeRequest(asked)) {
        asked = request.rest;
        const answer = this.answers.get(request.path) ?? this.answers.get('*');
        if (answer !== undefined) void this.#send(socket, answer);
      }
    });
  }

  async #send(socket: Socket, answer: HostileAnswer): Promise<void> {
    const { parts, afterwards = 'close', everyMs = 0, firstAfterMs = 0 } = answer;
    if (firstAfterMs > 0) await new Promise((resolve) => setTimeout(resolve, firstAfterMs));
    for (const part of parts) await this.#write(socket, part);
    const last = parts.at(-1) ?? '';
    while (afterwards === 'forever' && !socket.destroyed) {
      await this.#write(socket, last);
      await new Promise((resolve) => (everyMs > 0 ? setTimeout(resolve, everyMs) : setImmediate(resolve)));
    }
    if (afterwards === 'close') socket.end();
  }

  async #write(socket: Socket, part: string | Uint8Array): Promise<void> {
    if (socket.destroyed || part.length === 0) return;
    this.sentBytes += part.length;
    if (socket.write(part)) return;
    const settled = new AbortController();
    const { signal } = settled;
    await Promise.race([once(socket, 'drain', { signal }), once(socket, 'close', { signal })]).catch(() => undefined);
    settled.abort();
  }
}

/** The first whole request of what a client sent; null if it is not whole yet. */
function takeRequest(asked: string): { readonly path: string; readonly rest: string } | null {
  const end = asked.indexOf('\r\n\r\n');
  if (end === -1) return null;
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(asked.slice(0, end))?.[1] ?? 0);
  if (asked.length < end + 4 + length) return null;
  const [, path = '/'] = /^\w+ ([^ ?]*)/.exec(asked) ?? [];
  return { path, rest: asked.slice(end + 4 + length) };
}

/** An answer of one part, with its length. */
export function wholeAnswer(body: string, type = 'application/json'): HostileAnswer {
  const bytes = Buffer.from(body);
  const head = `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ncontent-length: ${bytes.length}\r\nconnection: close\r\n\r\n`;
  return { parts: [head, bytes] };
}

/** An answer whose end is the connection's end. */
export const UNBOUNDED_HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n';
