import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { t } from '../../../server/protocol/index.js';
import { LockFile } from '../../../server/src/util/files/lock-file.js';
import { requireSpace } from './disk.js';
import { DownloadError, toDownloadError } from './download-error.js';
import { DownloadFiles } from './download-files.js';
import type { DownloadRecord, DownloadRequest } from './download-record.js';
import type { HttpClient } from './http-client.js';
import { RateMeter } from './rate-meter.js';
import { transfer } from './transfer.js';
import { hashFile } from './verify-file.js';
import { WindowLock } from './window-lock.js';

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
  /** Received bytes after which the free space is looked at again: other programs fill the disk, too. */
  readonly spaceCheckBytes: number;
  /**
   * Why the model cannot be used, or null if it can, judged by the beginning of its first file. Called during the
   * download, as soon as the header may be complete.
   *
   * @param otherBytes of the model's other files, as far as their lengths are known
   */
  readonly inspect: (partialFile: string, otherBytes: number) => Promise<string | null>;
}

/** Headers nearly always end within the first of these; if not, the next ones decide. */
const INSPECT_AT_BYTES = [16 * 2 ** 20, 64 * 2 ** 20, 256 * 2 ** 20];

const LOOK_AT_RATE_MS = 1_000;

/** After these the record belongs to another window or cannot be written. */
const UNRECORDED = new Set<DownloadError['kind']>(['busyElsewhere', 'diskFull', 'disk']);

type StopReason = 'pause' | 'cancel' | 'suspend';

/** The download of one model. Every method may be called in every state. */
export class ModelDownload {
  readonly #files: DownloadFiles;
  readonly #options: DownloadOptions;
  readonly #listeners = new Set<() => void>();
  #bytesUntilSpaceCheck = 0;
  #rate = new RateMeter();
  #state: DownloadState;
  #running: { readonly outcome: Promise<DownloadOutcome>; readonly abort: AbortController } | null = null;

  constructor(modelPath: string, record: DownloadRecord, options: DownloadOptions) {
    this.#files = new DownloadFiles(modelPath, record);
    this.#options = options;
    this.#state = this.#idle;
  }

  /** The model's final path; the first part of a split model. */
  get modelPath(): string {
    return this.#files.modelPath;
  }

  get record(): DownloadRecord {
    return this.#files.record;
  }

  get state(): DownloadState {
    return this.#state;
  }

  get isRunning(): boolean {
    return this.#running !== null;
  }

  /** The user has asked for the model again: the last request says what it is for. */
  adopt(request: DownloadRequest): void {
    this.#files.adopt(request);
  }

  /** Whether another window is downloading the same model. */
  isBusyElsewhere(): boolean {
    return !this.isRunning && LockFile.isHeld(this.#lockPath);
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
    const outcome = this.#run(abort).finally(() => {
      this.#running = null;
      this.#setState(this.#idle);
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

  /**
   * Deletes the received bytes.
   *
   * @returns false if another window downloads the same model now: its files stay
   * @throws DownloadError
   */
  async cancel(): Promise<boolean> {
    await this.#stop('cancel');
    try {
      await mkdir(path.dirname(this.modelPath), { recursive: true });
      const lock = WindowLock.take(this.#lockPath, () => undefined);
      if (lock === null) return false;
      try {
        await this.#files.discard();
        return true;
      } finally {
        lock.release();
      }
    } catch (error) {
      throw toDownloadError(error);
    }
  }

  async #stop(reason: StopReason): Promise<void> {
    this.#running?.abort.abort(reason);
    await this.#running?.outcome;
  }

  /** Counts the bytes of an earlier window, to show them. */
  async measure(): Promise<void> {
    await this.#files.measure();
    if (!this.isRunning) this.#setState(this.#idle);
  }

  async #run(abort: AbortController): Promise<DownloadOutcome> {
    const { signal } = abort;
    let lock: WindowLock | null = null;
    try {
      await mkdir(path.dirname(this.modelPath), { recursive: true });
      lock = WindowLock.take(this.#lockPath, () => abort.abort(this.#busyElsewhere()));
      if (lock === null) throw this.#busyElsewhere();
      LockFile.removeLeftovers(path.dirname(this.modelPath));
      await this.#files.continueRecord();
      await this.#files.save({ state: 'running' });
      await this.#download(signal);
      await this.#files.putInPlace();
      return { kind: 'done', modelPath: this.modelPath };
    } catch (thrown) {
      // Without the lock the record belongs to another window.
      return lock === null ? { kind: 'failed', error: toDownloadError(thrown) } : await this.#outcomeOf(thrown, signal);
    } finally {
      lock?.release();
    }
  }

  #busyElsewhere(): DownloadError {
    return new DownloadError(
      'busyElsewhere',
      t('Another window is already downloading {0}.', this.#files.record.label),
    );
  }

  async #outcomeOf(thrown: unknown, signal: AbortSignal): Promise<DownloadOutcome> {
    try {
      return await this.#recordOutcome(thrown, signal);
    } catch (unrecorded) {
      // The earlier record still allows to resume.
      return { kind: 'failed', error: toDownloadError(unrecorded) };
    }
  }

  async #recordOutcome(thrown: unknown, signal: AbortSignal): Promise<DownloadOutcome> {
    const reason: StopReason | DownloadError | null = signal.aborted ? signal.reason : null;
    if (reason === 'cancel') return { kind: 'cancelled' };
    if (reason === 'suspend') return { kind: 'suspended' };
    if (reason === 'pause') {
      await this.#files.save({ state: 'paused' });
      return { kind: 'paused' };
    }
    const error = toDownloadError(reason ?? thrown);
    if (error.kind === 'unusable') await this.#files.discard();
    // The next window retries transient failures; the others wait for the user.
    else if (!error.transient && !UNRECORDED.has(error.kind)) await this.#files.save({ state: 'paused' });
    return { kind: 'failed', error };
  }

  async #download(signal: AbortSignal): Promise<void> {
    this.#rate = new RateMeter();
    this.#bytesUntilSpaceCheck = this.#options.spaceCheckBytes;
    const hash = (index: number, file: string) => this.#hash(index, file, signal);
    await this.#files.findInPlace(hash);
    await this.#files.measure();
    await this.#requireSpace();
    const inspected = new AbortController();
    const both = AbortSignal.any([signal, inspected.signal]);
    const looking = setInterval(() => this.#lookAtRate(), LOOK_AT_RATE_MS);
    try {
      for (const index of this.#files.indexes) await this.#fetchFile(index, both, inspected);
      for (const index of this.#files.indexes)
        await this.#files.verify(index, (each, file) => this.#hash(each, file, both));
    } catch (thrown) {
      throw inspected.signal.aborted && !signal.aborted ? inspected.signal.reason : thrown;
    } finally {
      clearInterval(looking);
    }
  }

  async #fetchFile(index: number, signal: AbortSignal, inspected: AbortController): Promise<void> {
    if (this.#files.isInPlace(index)) return;
    const pending = index === 0 ? INSPECT_AT_BYTES.filter((bytes) => bytes > this.#files.received(0)) : [];
    const received = await transfer(this.#files.file(index), {
      http: this.#options.http,
      partialPath: this.#files.partial(index),
      validator: this.#files.file(index).validator,
      retryDelaysMs: this.#options.retryDelaysMs,
      signal,
      onVersion: async (validator, bytes) => {
        await this.#files.saveFile(index, { validator, bytes: this.#files.file(index).bytes ?? bytes });
        await this.#requireSpace();
      },
      beforeWrite: (bytes) => this.#watchSpace(bytes),
      onProgress: (bytes) => {
        this.#setReceived(index, bytes);
        if (bytes < (pending[0] ?? Number.POSITIVE_INFINITY)) return;
        pending.shift();
        void this.#inspect(inspected);
      },
    });
    this.#setReceived(index, received);
    await this.#files.saveFile(index, { bytes: received });
    // Gigabytes may follow a first file that has the header and little more.
    if (pending.length > 0 && this.#files.indexes.length > 1) void this.#inspect(inspected);
  }

  /** Ends the download as soon as the model turns out to be unusable. */
  async #inspect(inspected: AbortController): Promise<void> {
    const { indexes } = this.#files;
    const otherBytes = indexes.slice(1).reduce((sum, index) => sum + (this.#files.file(index).bytes ?? 0), 0);
    const refusal = await this.#options.inspect(this.#files.partial(0), otherBytes).catch(() => null);
    if (refusal !== null)
      inspected.abort(new DownloadError('unusable', t('{0}. Inkling stopped the download.', refusal)));
  }

  async #hash(index: number, file: string, signal: AbortSignal): Promise<string> {
    const totalBytes = this.#files.totalBytes ?? 0;
    const before = this.#files.receivedBefore(index);
    const onProgress = (bytes: number): void =>
      this.#setState({ kind: 'verifying', checkedBytes: before + bytes, totalBytes });
    return await hashFile(file, onProgress, signal);
  }

  async #requireSpace(): Promise<void> {
    const missing = Math.max(0, (this.#files.totalBytes ?? 0) - this.#files.receivedBytes);
    await requireSpace(path.dirname(this.modelPath), missing, this.#options.reservedBytes);
  }

  async #watchSpace(bytes: number): Promise<void> {
    this.#bytesUntilSpaceCheck -= bytes;
    if (this.#bytesUntilSpaceCheck > 0) return;
    this.#bytesUntilSpaceCheck = this.#options.spaceCheckBytes;
    await this.#requireSpace();
  }

  get #idle(): DownloadState {
    const { receivedBytes, totalBytes } = this.#files;
    return { kind: 'idle', receivedBytes, totalBytes };
  }

  #setReceived(index: number, bytes: number): void {
    this.#files.setReceived(index, bytes);
    const { receivedBytes, totalBytes } = this.#files;
    const now = performance.now();
    this.#rate.add(now, receivedBytes);
    this.#setState({ kind: 'downloading', receivedBytes, totalBytes, bytesPerSecond: this.#rate.bytesPerSecond(now) });
  }

  /** A connection that is still reports nothing, and its last rate would stay. */
  #lookAtRate(): void {
    if (this.#state.kind !== 'downloading') return;
    const bytesPerSecond = this.#rate.bytesPerSecond(performance.now());
    if (bytesPerSecond !== this.#state.bytesPerSecond) this.#setState({ ...this.#state, bytesPerSecond });
  }

  #setState(state: DownloadState): void {
    this.#state = state;
    for (const listener of [...this.#listeners]) listener();
  }
}
