import { mkdir, rename, rm, stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import { formatNumber, t } from '../../../server/protocol/index.js';
import { DownloadError, toDownloadError } from './download-error.js';
import { type DownloadRecord, partialPath, type RecordedFile, removeRecord, writeRecord } from './download-record.js';
import type { HttpClient } from './http-client.js';
import { RateMeter } from './rate-meter.js';
import { transfer } from './transfer.js';
import { hashFile } from './verify-file.js';
import { isHeld, WindowLock } from './window-lock.js';

/** In bytes, for all files together; the total is null until the server reports it. */
export type DownloadState =
  | { readonly kind: 'idle'; readonly receivedBytes: number; readonly totalBytes: number | null }
  | {
      readonly kind: 'downloading';
      readonly receivedBytes: number;
      readonly totalBytes: number | null;
      readonly bytesPerSecond: number | null;
    }
  | { readonly kind: 'verifying'; readonly checkedBytes: number; readonly totalBytes: number };

export type DownloadOutcome =
  /** All files are complete and checked. */
  | { readonly kind: 'done'; readonly modelPath: string }
  | { readonly kind: 'paused' }
  /** The window closes; the next one resumes the download. */
  | { readonly kind: 'suspended' }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'failed'; readonly error: DownloadError };

export interface DownloadOptions {
  readonly http: HttpClient;
  readonly retryDelaysMs: readonly number[];
  /** Free bytes that a download leaves on the disk. */
  readonly reservedBytes: number;
  /**
   * Why the model cannot be used, or null if it can, judged by the beginning of its file. Called during the download,
   * as soon as the header may be complete.
   */
  readonly inspect: (partialFile: string) => Promise<string | null>;
}

/** Headers nearly always end within the first of these; if not, the next ones decide. */
const INSPECT_AT_BYTES = [16 * 2 ** 20, 64 * 2 ** 20, 256 * 2 ** 20];

/** After these the record belongs to another window or cannot be written. */
const UNRECORDED = new Set<DownloadError['kind']>(['busyElsewhere', 'diskFull', 'disk']);

type StopReason = 'pause' | 'cancel' | 'suspend';

/** The download of one model. Every method may be called in every state. */
export class ModelDownload {
  /** The model's final path; the first part of a split model. */
  readonly modelPath: string;
  readonly #options: DownloadOptions;
  readonly #listeners = new Set<() => void>();
  readonly #received: number[];
  #rate = new RateMeter();
  #record: DownloadRecord;
  #state: DownloadState;
  #running: { readonly outcome: Promise<DownloadOutcome>; readonly abort: AbortController } | null = null;

  constructor(modelPath: string, record: DownloadRecord, options: DownloadOptions) {
    this.modelPath = modelPath;
    this.#record = record;
    this.#options = options;
    this.#received = record.files.map(() => 0);
    this.#state = { kind: 'idle', receivedBytes: 0, totalBytes: this.#totalBytes };
  }

  get record(): DownloadRecord {
    return this.#record;
  }

  get state(): DownloadState {
    return this.#state;
  }

  get isRunning(): boolean {
    return this.#running !== null;
  }

  /** Whether another window is downloading the same model. */
  async isBusyElsewhere(): Promise<boolean> {
    return !this.isRunning && (await isHeld(this.#lockPath));
  }

  get #lockPath(): string {
    return `${this.modelPath}.lock`;
  }

  onDidChange(listener: () => void): { dispose(): void } {
    this.#listeners.add(listener);
    return { dispose: () => void this.#listeners.delete(listener) };
  }

  /** Starts or resumes the download. While it runs, every caller gets the same outcome. Never rejects. */
  start(): Promise<DownloadOutcome> {
    if (this.#running !== null) return this.#running.outcome;
    const abort = new AbortController();
    const outcome = this.#run(abort.signal).finally(() => {
      this.#running = null;
      this.#setState({ kind: 'idle', receivedBytes: this.#receivedBytes, totalBytes: this.#totalBytes });
    });
    this.#running = { outcome, abort };
    return outcome;
  }

  /** Keeps the received bytes until the user resumes. */
  async pause(): Promise<void> {
    await this.#stop('pause');
  }

  /** For the end of the window: the next window resumes automatically. */
  async suspend(): Promise<void> {
    await this.#stop('suspend');
  }

  /** Deletes the received bytes. */
  async cancel(): Promise<void> {
    await this.#stop('cancel');
    await this.#discard();
  }

  async #stop(reason: StopReason): Promise<void> {
    this.#running?.abort.abort(reason);
    await this.#running?.outcome;
  }

  /** Counts the bytes of an earlier window, to show them. */
  async measure(): Promise<void> {
    for (const index of this.#record.files.keys()) this.#received[index] = await sizeOf(this.#partial(index));
    if (!this.isRunning) {
      this.#setState({ kind: 'idle', receivedBytes: this.#receivedBytes, totalBytes: this.#totalBytes });
    }
  }

  async #run(signal: AbortSignal): Promise<DownloadOutcome> {
    let lock: WindowLock | null = null;
    try {
      await mkdir(path.dirname(this.modelPath), { recursive: true });
      lock = await WindowLock.take(this.#lockPath);
      if (lock === null) {
        throw new DownloadError('busyElsewhere', t('Another window is downloading {0} already.', this.#record.label));
      }
      await this.#save({ state: 'running' });
      await this.#download(signal);
      await this.#putInPlace();
      return { kind: 'done', modelPath: this.modelPath };
    } catch (thrown) {
      return await this.#outcomeOf(thrown, signal);
    } finally {
      await lock?.release();
    }
  }

  async #outcomeOf(thrown: unknown, signal: AbortSignal): Promise<DownloadOutcome> {
    switch (signal.aborted ? (signal.reason as StopReason) : null) {
      case 'cancel':
        return { kind: 'cancelled' };
      case 'suspend':
        return { kind: 'suspended' };
      case 'pause':
        await this.#save({ state: 'paused' });
        return { kind: 'paused' };
      case null:
        break;
    }
    const error = toDownloadError(thrown);
    if (error.kind === 'unusable') await this.#discard();
    // The next window retries transient failures; the others wait for the user.
    else if (!error.transient && !UNRECORDED.has(error.kind)) await this.#save({ state: 'paused' });
    return { kind: 'failed', error };
  }

  async #download(signal: AbortSignal): Promise<void> {
    this.#rate = new RateMeter();
    await this.measure();
    await this.#requireSpace();
    const inspected = new AbortController();
    const both = AbortSignal.any([signal, inspected.signal]);
    try {
      for (const index of this.#record.files.keys()) await this.#fetchFile(index, both, inspected);
      for (const index of this.#record.files.keys()) await this.#verify(index, both);
    } catch (thrown) {
      throw inspected.signal.aborted && !signal.aborted ? inspected.signal.reason : thrown;
    }
  }

  async #fetchFile(index: number, signal: AbortSignal, inspected: AbortController): Promise<void> {
    if (await this.#isInPlace(index)) return;
    const pending = index === 0 ? INSPECT_AT_BYTES.filter((bytes) => bytes > (this.#received[0] ?? 0)) : [];
    const received = await transfer(this.#file(index), {
      http: this.#options.http,
      partialPath: this.#partial(index),
      validator: this.#file(index).validator,
      retryDelaysMs: this.#options.retryDelaysMs,
      signal,
      onVersion: async (validator, bytes) => {
        await this.#saveFile(index, { validator, bytes: this.#file(index).bytes ?? bytes });
        await this.#requireSpace();
      },
      onProgress: (bytes) => {
        this.#setReceived(index, bytes);
        if (bytes < (pending[0] ?? Number.POSITIVE_INFINITY)) return;
        pending.shift();
        void this.#inspect(inspected);
      },
    });
    this.#setReceived(index, received);
    await this.#saveFile(index, { bytes: received });
  }

  /** Ends the download as soon as the model turns out to be unusable. */
  async #inspect(inspected: AbortController): Promise<void> {
    const refusal = await this.#options.inspect(this.#partial(0)).catch(() => null);
    if (refusal !== null) inspected.abort(new DownloadError('unusable', t('{0}. The download was ended.', refusal)));
  }

  async #verify(index: number, signal: AbortSignal): Promise<void> {
    const { sha256, url } = this.#file(index);
    if (sha256 === null || (await this.#isInPlace(index))) return;
    const totalBytes = this.#totalBytes ?? 0;
    const before = this.#received.slice(0, index).reduce((sum, bytes) => sum + bytes, 0);
    const onProgress = (bytes: number): void =>
      this.#setState({ kind: 'verifying', checkedBytes: before + bytes, totalBytes });
    const actual = await hashFile(this.#partial(index), onProgress, signal);
    if (actual === sha256) return;
    await rm(this.#partial(index), { force: true });
    await this.#saveFile(index, { validator: null });
    const message = t(
      '{0} arrived damaged: its SHA-256 is {1}…, not {2}…. What came from {3} was thrown away.',
      this.#record.label,
      actual.slice(0, 12),
      sha256.slice(0, 12),
      new URL(url).host,
    );
    throw new DownloadError('wrongHash', message);
  }

  /** Moves the first file last: it names the model, so a visible model is always complete. */
  async #putInPlace(): Promise<void> {
    for (const index of [...this.#record.files.keys()].reverse()) {
      if (!(await this.#isInPlace(index))) await rename(this.#partial(index), this.#path(index));
    }
    await removeRecord(this.modelPath);
  }

  async #requireSpace(): Promise<void> {
    const missing = (this.#totalBytes ?? 0) - this.#receivedBytes;
    const { bavail, bsize } = await statfs(path.dirname(this.modelPath));
    const free = bavail * bsize;
    if (missing + this.#options.reservedBytes <= free) return;
    const amounts = [free, missing, this.#options.reservedBytes].map(gigabytes);
    const message = t('The disk has {0} free, but {1} are still to come and {2} stay free.', ...amounts);
    throw new DownloadError('diskFull', message);
  }

  async #discard(): Promise<void> {
    for (const index of this.#record.files.keys()) await rm(this.#partial(index), { force: true });
    await removeRecord(this.modelPath);
    this.#received.fill(0);
  }

  async #isInPlace(index: number): Promise<boolean> {
    const { bytes } = this.#file(index);
    return bytes !== null && (await sizeOf(this.#path(index))) === bytes;
  }

  #file(index: number): RecordedFile {
    const file = this.#record.files[index];
    if (file === undefined) throw new RangeError(`The download has no file ${index}`);
    return file;
  }

  #path(index: number): string {
    return path.join(path.dirname(this.modelPath), this.#file(index).name);
  }

  #partial(index: number): string {
    return partialPath(this.#path(index));
  }

  get #receivedBytes(): number {
    return this.#received.reduce((sum, bytes) => sum + bytes, 0);
  }

  get #totalBytes(): number | null {
    return this.#record.files.reduce<number | null>(
      (sum, { bytes }) => (sum === null || bytes === null ? null : sum + bytes),
      0,
    );
  }

  #setReceived(index: number, bytes: number): void {
    this.#received[index] = bytes;
    const receivedBytes = this.#receivedBytes;
    this.#rate.add(performance.now(), receivedBytes);
    const { bytesPerSecond } = this.#rate;
    this.#setState({ kind: 'downloading', receivedBytes, totalBytes: this.#totalBytes, bytesPerSecond });
  }

  #setState(state: DownloadState): void {
    this.#state = state;
    for (const listener of [...this.#listeners]) listener();
  }

  async #saveFile(index: number, change: Partial<RecordedFile>): Promise<void> {
    await this.#save({ files: this.#record.files.map((file, at) => (at === index ? { ...file, ...change } : file)) });
  }

  async #save(change: Partial<DownloadRecord>): Promise<void> {
    this.#record = { ...this.#record, ...change };
    await writeRecord(this.modelPath, this.#record);
  }
}

async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return 0;
    throw error;
  }
}

function gigabytes(bytes: number): string {
  return `${formatNumber(bytes / 1e9, 1)} GB`;
}
