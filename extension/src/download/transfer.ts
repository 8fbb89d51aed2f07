import { type FileHandle, open, truncate } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { t } from '../../../server/protocol/index.js';
import { sizeOf } from './disk.js';
import { DownloadError } from './download-error.js';
import type { HttpClient, HttpResponse } from './http-client.js';

/** The known facts of a file on its server. */
export interface RemoteFile {
  readonly url: string;
  /** Null until the answer states it. */
  readonly bytes: number | null;
}

export interface TransferOptions {
  readonly http: HttpClient;
  /** The file to write; its present content is the beginning of the download. */
  readonly partialPath: string;
  /** The server's validator of the version whose download began; null at the start. */
  readonly validator: string | null;
  /** Called before the first byte of a version is written. */
  readonly onVersion: (validator: string | null, totalBytes: number | null) => Promise<void>;
  /** Called with the length of each piece before it is written; may refuse it. */
  readonly beforeWrite: (bytes: number) => Promise<void>;
  /** Bytes of the file that have been received. */
  readonly onProgress: (receivedBytes: number) => void;
  /** Delays between attempts without progress; their number limits the retries. */
  readonly retryDelaysMs: readonly number[];
  readonly signal: AbortSignal;
}

/** The description of an answer, checked against the known facts. */
interface Body {
  /** Offset of its first byte. */
  readonly start: number;
  /** Length of the whole file; null if unknown. */
  readonly total: number | null;
  readonly validator: string | null;
}

/**
 * Downloads a file, or the rest of one, to its full length. Reconnects after cut or stalled connections and continues
 * at the last byte; every received byte is kept.
 *
 * @returns the bytes of the whole file
 * @throws DownloadError; after an abort, the signal's reason
 */
export async function transfer(file: RemoteFile, options: TransferOptions): Promise<number> {
  const { retryDelaysMs, signal } = options;
  const session = new Transfer(file, options);
  let idleAttempts = 0;
  for (;;) {
    signal.throwIfAborted();
    const before = await session.receivedBytes();
    try {
      if (await session.attempt(before)) return await session.receivedBytes();
    } catch (thrown) {
      if (!(thrown instanceof DownloadError) || !thrown.transient) throw thrown;
      idleAttempts = (await session.receivedBytes()) > before ? 0 : idleAttempts + 1;
      const wait = retryDelaysMs[idleAttempts === 0 ? 0 : idleAttempts - 1];
      if (wait === undefined) throw thrown;
      await delay(wait, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }
}

/** A server that needs more restarts contradicts itself. */
const MAX_RESTARTS = 2;

class Transfer {
  readonly #file: RemoteFile;
  readonly #options: TransferOptions;
  #validator: string | null;
  #restarts = 0;

  constructor(file: RemoteFile, options: TransferOptions) {
    this.#file = file;
    this.#options = options;
    this.#validator = options.validator;
  }

  async receivedBytes(): Promise<number> {
    return (await sizeOf(this.#options.partialPath)) ?? 0;
  }

  /**
   * Sends one request.
   *
   * @returns whether the file is complete; false asks for another request at once
   */
  async attempt(received: number): Promise<boolean> {
    const { http, partialPath, signal } = this.#options;
    const { url, bytes } = this.#file;
    // A file of no bytes may be one that is not there: the server must say so.
    if (bytes !== null && bytes > 0 && received === bytes) return true;
    if (bytes !== null && received > bytes) return this.#startOver();
    const response = await http.get({
      url,
      headers: received === 0 ? {} : this.#rangeHeaders(received),
      accept: [416],
      signal,
    });
    if (response.status === 416) {
      response.discard();
      // The server has no more bytes: the file is complete, unless the server now has another one.
      if (bytes === null && totalOf(response) === received) return true;
      return this.#startOver();
    }
    if (/^text\/html\b/i.test(response.headers.get('content-type') ?? '')) {
      response.discard();
      // A network or proxy wants something of its user. Such an answer looks like another version of the file.
      throw new DownloadError('server', t('{0} sent a web page instead of the file.', new URL(url).host));
    }
    const body = this.#describeBody(response, received);
    if (body === null) {
      response.discard();
      return this.#startOver();
    }
    const handle = await open(partialPath, body.start === 0 ? 'w' : 'r+');
    try {
      if (body.start === 0) {
        this.#validator = body.validator;
        await this.#options.onVersion(body.validator, body.total);
      }
      return await this.#receive(response, body, handle);
    } finally {
      response.discard();
      await handle.close();
    }
  }

  #rangeHeaders(received: number): Record<string, string> {
    const range = { range: `bytes=${received}-` };
    return this.#validator === null ? range : { ...range, 'if-range': this.#validator };
  }

  async #startOver(): Promise<false> {
    this.#restarts += 1;
    if (this.#restarts > MAX_RESTARTS) {
      const message = t('{0} sent conflicting information about the file.', new URL(this.#file.url).host);
      throw new DownloadError('server', message);
    }
    if ((await this.receivedBytes()) > 0) await truncate(this.#options.partialPath, 0);
    this.#options.onProgress(0);
    return false;
  }

  /** Null if the answer does not continue the received bytes. */
  #describeBody(response: HttpResponse, received: number): Body | null {
    const { url, bytes } = this.#file;
    const validator = validatorOf(response.headers);
    const start = response.status === 206 ? rangeStart(response) : 0;
    const total = totalOf(response);
    if (bytes !== null && total !== null && total !== bytes) {
      const message = t(
        '{0} offers a file of {1} bytes, but the repository lists {2} bytes.',
        new URL(url).host,
        total,
        bytes,
      );
      throw new DownloadError('changed', message);
    }
    if (start === 0) return { start, total: bytes ?? total, validator };
    const sameVersion = this.#validator === null || validator === null || validator === this.#validator;
    return start === received && sameVersion ? { start, total: bytes ?? total, validator } : null;
  }

  async #receive(response: HttpResponse, { start, total }: Body, handle: FileHandle): Promise<boolean> {
    const { host } = new URL(this.#file.url);
    let position = start;
    for await (const chunk of response.chunks) {
      this.#options.signal.throwIfAborted();
      if (total !== null && position + chunk.length > total) {
        await handle.truncate(0);
        throw new DownloadError('server', t('{0} sent more than the announced {1} bytes.', host, total));
      }
      await this.#options.beforeWrite(chunk.length);
      await writeAll(handle, chunk, position);
      position += chunk.length;
      this.#options.onProgress(position);
    }
    if (total !== null && position < total) {
      const message = t('The connection to {0} closed after {1} of {2} bytes.', host, position, total);
      throw new DownloadError('network', message, { transient: true });
    }
    await handle.sync();
    // Otherwise a length of 0 would be recorded, and no later attempt would fit it.
    const { partialPath } = this.#options;
    if ((await this.receivedBytes()) !== position) throw new Error(`${partialPath} was removed or replaced`);
    return true;
  }
}

/** A nearly full disk may accept only a part of a chunk. */
async function writeAll(handle: FileHandle, chunk: Uint8Array, position: number): Promise<void> {
  for (let written = 0; written < chunk.length; ) {
    const { bytesWritten } = await handle.write(chunk, written, chunk.length - written, position + written);
    written += bytesWritten;
  }
}

/** A weak validator may stand for different bytes, so it does not allow a continuation. */
function validatorOf(headers: Headers): string | null {
  const etag = headers.get('etag');
  return etag !== null && !etag.startsWith('W/') ? etag : headers.get('last-modified');
}

/** -1, which continues nothing, if a partial answer does not state its range. */
function rangeStart(response: HttpResponse): number {
  const match = /^bytes (\d+)-/.exec(response.headers.get('content-range') ?? '');
  return match === null ? -1 : Number(match[1]);
}

function totalOf(response: HttpResponse): number | null {
  if (response.status !== 200) {
    const match = /\/(\d+)$/.exec(response.headers.get('content-range') ?? '');
    return match === null ? null : Number(match[1]);
  }
  const length = response.headers.get('content-length');
  // The length of a compressed answer is not the length of the file.
  return length === null || response.headers.has('content-encoding') ? null : Number(length);
}
