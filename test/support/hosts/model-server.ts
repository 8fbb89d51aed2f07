import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, connect } from 'node:net';

/** A fault in place of a good answer. */
export type Trouble =
  /** The connection ends after this many bytes of the body. */
  | { readonly kind: 'cut'; readonly after: number }
  /** The connection stays open after this many bytes, but sends no more. */
  | { readonly kind: 'stall'; readonly after: number }
  /** A good answer that waits after this many bytes. */
  | { readonly kind: 'held'; readonly after: number; readonly until: Promise<unknown> }
  | { readonly kind: 'status'; readonly status: number; readonly body?: string }
  /** As a network shows one that wants something of its user first, in chunks. */
  | { readonly kind: 'webPage' }
  | { readonly kind: 'redirect'; readonly to: string }
  /** The header states another length than the body has. */
  | { readonly kind: 'lieAboutLength'; readonly length: number }
  /** Chunks without a stated length, with more bytes than the file has. */
  | { readonly kind: 'tooMuch'; readonly extra: number }
  /** The whole file instead of the requested part. */
  | { readonly kind: 'ignoreRange' }
  /** A part, but not the requested one. */
  | { readonly kind: 'wrongRange' }
  /** A good answer, but slow enough to watch its progress. */
  | { readonly kind: 'slow'; readonly bytesPerSecond: number };

export interface SeenRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

interface Resource {
  readonly content: Buffer;
  readonly etag: string;
}

const REPOSITORY_PATH = /^\/([^/]+\/[^/]+)\/resolve\/[^/]+\/(.+)$/;
const TREE_PATH = /^\/api\/models\/([^/]+\/[^/]+)\/tree\//;

/**
 * A model repository on 127.0.0.1 with every fault that real ones have. It is also a proxy that answers for every host.
 */
export class ModelServer {
  readonly requests: SeenRequest[] = [];
  /** Host and port of each connection requested from the proxy. */
  readonly tunnels: string[] = [];
  /** If set, the repositories require this token. */
  token: string | null = null;
  readonly #server: Server;
  readonly #resources = new Map<string, Resource>();
  readonly #repositories = new Map<string, Record<string, Buffer>>();
  readonly #troubles = new Map<string, Trouble[]>();
  /** False values that the API reports. */
  readonly #claims = new Map<string, { readonly bytes?: number; readonly sha256?: string }>();

  private constructor(server: Server) {
    this.#server = server;
    server.on('request', (request, response) => void this.#answer(request, response));
    server.on('connect', (request, socket, head) => {
      this.tunnels.push(request.url ?? '');
      const inside = connect((this.#server.address() as AddressInfo).port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
        inside.write(head);
        inside.pipe(socket).pipe(inside);
      });
      for (const end of [socket, inside]) end.on('error', () => inside.destroy());
    });
  }

  static async start(port = 0): Promise<ModelServer> {
    const server = createServer({ keepAliveTimeout: 100 });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return new ModelServer(server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Ends every connection. */
  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  /**
   * Adds a file at its own path.
   * @returns its address
   */
  put(path: string, content: Buffer): string {
    this.#resources.set(path, { content, etag: `"${sha256(content).slice(0, 16)}"` });
    return this.url + path;
  }

  /** Adds files that the API lists with their lengths and hashes. */
  addRepository(repository: string, files: Readonly<Record<string, Buffer>>): void {
    this.#repositories.set(repository, { ...this.#repositories.get(repository), ...files });
    for (const [name, content] of Object.entries(files)) this.put(`/${repository}/resolve/main/${name}`, content);
  }

  claim(repository: string, name: string, lie: { readonly bytes?: number; readonly sha256?: string }): void {
    this.#claims.set(`${repository}/${name}`, lie);
  }

  /** Gives the next requests for a path one fault each; later requests succeed. */
  trouble(path: string, ...troubles: readonly Trouble[]): void {
    this.#troubles.set(path, [...(this.#troubles.get(path) ?? []), ...troubles]);
  }

  requestsFor(path: string): readonly SeenRequest[] {
    return this.requests.filter((request) => request.path === path);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // A client of a proxy sends the whole address.
    const { pathname } = new URL(request.url ?? '/', this.url);
    const path = decodeURIComponent(pathname);
    this.requests.push({ path, headers: request.headers });
    const trouble = this.#troubles.get(path)?.shift();
    const isRepository = REPOSITORY_PATH.test(path) || TREE_PATH.test(path);
    if (isRepository && this.token !== null && request.headers.authorization !== `Bearer ${this.token}`) {
      const headers = { 'content-type': 'text/plain', 'x-error-code': 'GatedRepo' };
      response.writeHead(401, headers).end('Access to this model is restricted.');
      return;
    }
    if (trouble?.kind === 'status') {
      response.writeHead(trouble.status).end(trouble.body ?? 'no');
      return;
    }
    if (trouble?.kind === 'webPage') {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' });
      response.end('<!DOCTYPE html><title>Log in</title>');
      return;
    }
    if (trouble?.kind === 'redirect') {
      response.writeHead(302, { location: trouble.to }).end();
      return;
    }
    const repository = TREE_PATH.exec(path)?.[1];
    const tree = repository === undefined ? undefined : this.#repositories.get(repository);
    if (repository !== undefined && tree !== undefined) {
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(this.#tree(repository, tree)));
      return;
    }
    const resource = this.#resources.get(path);
    if (resource === undefined) response.writeHead(404).end('There is nothing here.');
    else await this.#send(request, response, resource, trouble);
  }

  #tree(repository: string, files: Readonly<Record<string, Buffer>>): unknown[] {
    return Object.entries(files).map(([path, content]) => {
      const { bytes = content.length, sha256: oid = sha256(content) } = this.#claims.get(`${repository}/${path}`) ?? {};
      return { type: 'file', path, size: bytes, oid: 'a'.repeat(40), lfs: { oid, size: bytes, pointerSize: 135 } };
    });
  }

  async #send(
    request: IncomingMessage,
    response: ServerResponse,
    { content, etag }: Resource,
    trouble: Trouble | undefined,
  ): Promise<void> {
    const condition = request.headers['if-range'];
    const range = /^bytes=(\d+)-$/.exec(request.headers.range ?? '');
    const honoursRange =
      range !== null && trouble?.kind !== 'ignoreRange' && (condition === undefined || condition === etag);
    const from = honoursRange ? Number(range[1]) : 0;
    if (honoursRange && from >= content.length) {
      response.writeHead(416, { 'content-range': `bytes */${content.length}` }).end();
      return;
    }
    const start = trouble?.kind === 'wrongRange' ? Math.floor(from / 2) : from;
    const body = content.subarray(start);
    const length = trouble?.kind === 'lieAboutLength' ? trouble.length : body.length;
    const contentRange = { 'content-range': `bytes ${start}-${content.length - 1}/${content.length}` };
    response.writeHead(honoursRange ? 206 : 200, {
      etag,
      'accept-ranges': 'bytes',
      ...(honoursRange ? contentRange : {}),
      ...(trouble?.kind === 'tooMuch' ? {} : { 'content-length': length }),
    });
    await sendBody(response, body, trouble);
  }
}

async function sendBody(response: ServerResponse, body: Buffer, trouble: Trouble | undefined): Promise<void> {
  switch (trouble?.kind) {
    case 'cut':
      response.write(body.subarray(0, trouble.after), () => response.destroy());
      return;
    case 'stall':
      response.write(body.subarray(0, trouble.after));
      return;
    case 'held':
      response.write(body.subarray(0, trouble.after));
      await trouble.until;
      response.end(body.subarray(trouble.after));
      return;
    case 'tooMuch':
      response.end(Buffer.concat([body, Buffer.alloc(trouble.extra)]));
      return;
    case 'lieAboutLength':
      // Node refuses to write more than was announced; less ends as a broken connection.
      response.write(body.subarray(0, trouble.length), () => response.destroy());
      return;
    case 'slow': {
      const step = Math.max(1, Math.floor(trouble.bytesPerSecond / 20));
      for (let position = 0; position < body.length && !response.destroyed; position += step) {
        response.write(body.subarray(position, position + step));
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      response.end();
      return;
    }
    default:
      response.end(body);
  }
}

export function sha256(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
