import { rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { t } from '../../../server/protocol/index.js';
import { sizeOf } from './disk.js';
import { DownloadError } from './download-error.js';
import {
  type DownloadRecord,
  type DownloadRequest,
  partialPath,
  type RecordedFile,
  readRecord,
  removeRecord,
  writeRecord,
} from './download-record.js';

/** The SHA-256 of a file that belongs to the download's file `index`. */
export type HashFile = (index: number, file: string) => Promise<string>;

/** What a download has on the disk: its record, the partial files, and those in their final place. */
export class DownloadFiles {
  /** The model's final path; the first part of a split model. */
  readonly modelPath: string;
  readonly #received: number[];
  /** Indexes of files that are in their final place. */
  readonly #inPlace = new Set<number>();
  #record: DownloadRecord;

  constructor(modelPath: string, record: DownloadRecord) {
    this.modelPath = modelPath;
    this.#record = record;
    this.#received = record.files.map(() => 0);
  }

  get record(): DownloadRecord {
    return this.#record;
  }

  get indexes(): readonly number[] {
    return [...this.#record.files.keys()];
  }

  get receivedBytes(): number {
    return this.#received.reduce((sum, bytes) => sum + bytes, 0);
  }

  /** Null until the server reports it. */
  get totalBytes(): number | null {
    return this.#record.files.reduce<number | null>(
      (sum, { bytes }) => (sum === null || bytes === null ? null : sum + bytes),
      0,
    );
  }

  file(index: number): RecordedFile {
    const file = this.#record.files[index];
    if (file === undefined) throw new RangeError(`The download has no file ${index}`);
    return file;
  }

  partial(index: number): string {
    return partialPath(this.#path(index));
  }

  isInPlace(index: number): boolean {
    return this.#inPlace.has(index);
  }

  received(index: number): number {
    return this.#received[index] ?? 0;
  }

  setReceived(index: number, bytes: number): void {
    this.#received[index] = bytes;
  }

  /** Received bytes of the files before this one. */
  receivedBefore(index: number): number {
    return this.#received.slice(0, index).reduce((sum, bytes) => sum + bytes, 0);
  }

  /** Counts the bytes of an earlier window. */
  async measure(): Promise<void> {
    for (const index of this.indexes) {
      const file = this.#inPlace.has(index) ? this.#path(index) : this.partial(index);
      this.#received[index] = (await sizeOf(file)) ?? 0;
    }
  }

  /** A file of the right length may still be another version, or damaged. */
  async findInPlace(hash: HashFile): Promise<void> {
    this.#inPlace.clear();
    for (const index of this.indexes) {
      const { bytes, sha256 } = this.file(index);
      if (bytes === null || (await sizeOf(this.#path(index))) !== bytes) continue;
      if (sha256 === null || (await hash(index, this.#path(index))) === sha256) this.#inPlace.add(index);
    }
  }

  /** @throws DownloadError for a file that is not the one that the repository names; it is deleted */
  async verify(index: number, hash: HashFile): Promise<void> {
    const { sha256, url } = this.file(index);
    if (sha256 === null || this.#inPlace.has(index)) return;
    const actual = await hash(index, this.partial(index));
    if (actual === sha256) return;
    await rm(this.partial(index), { force: true });
    await this.saveFile(index, { validator: null });
    const message = t(
      'The download of {0} is damaged: its SHA-256 is {1}…, not {2}…. Inkling deleted the data from {3}.',
      this.#record.label,
      actual.slice(0, 12),
      sha256.slice(0, 12),
      new URL(url).host,
    );
    throw new DownloadError('wrongHash', message);
  }

  /** Moves the first file last: it names the model, so a visible model is always complete. */
  async putInPlace(): Promise<void> {
    for (const index of [...this.indexes].reverse()) {
      if (this.#inPlace.has(index)) continue;
      await rename(this.partial(index), this.#path(index));
      this.#inPlace.add(index);
    }
    await removeRecord(this.modelPath);
  }

  /** Deletes the partial files and the record. */
  async discard(): Promise<void> {
    for (const index of this.indexes) await rm(this.partial(index), { force: true });
    await removeRecord(this.modelPath);
    this.#received.fill(0);
  }

  /** Another window may have gone on with this download since this one read its record. */
  async continueRecord(): Promise<void> {
    const recorded = await readRecord(this.modelPath);
    const isSame = recorded?.files.map(({ url }) => url).join() === this.#record.files.map(({ url }) => url).join();
    if (recorded === null || !isSame) return;
    const sameContent = this.#record.files.every(({ sha256 }, index) => sha256 === recorded.files[index]?.sha256);
    if (sameContent) this.#record = { ...this.#record, files: recorded.files };
  }

  /** Takes the request over. The next change writes it: the record belongs to the window that runs the download. */
  adopt(request: DownloadRequest): void {
    this.#record = { ...this.#record, ...request };
  }

  async saveFile(index: number, change: Partial<RecordedFile>): Promise<void> {
    await this.save({ files: this.#record.files.map((file, at) => (at === index ? { ...file, ...change } : file)) });
  }

  async save(change: Partial<DownloadRecord>): Promise<void> {
    this.#record = { ...this.#record, ...change };
    await writeRecord(this.modelPath, this.#record);
  }

  #path(index: number): string {
    return path.join(path.dirname(this.modelPath), this.file(index).name);
  }
}
