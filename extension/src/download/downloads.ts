import { createHash } from 'node:crypto';
import { rmdir } from 'node:fs/promises';
import path from 'node:path';
import { t, withoutTrailingSlashes } from '../../../server/protocol/index.js';
import { LockFile } from '../../../server/src/util/files/lock-file.js';
import { removeFile } from './disk.js';
import { DownloadError } from './download-error.js';
import { type DownloadRecord, type DownloadUse, readRecord, unfinishedModels } from './download-record.js';
import { type Fetch, HttpClient, type HttpOptions } from './http-client.js';
import { type DownloadOptions, ModelDownload } from './model-download.js';
import { decodePath, type RepositoryReference, requireSafeUrl } from './model-source.js';
import { fileUrl, listModels, type RepositoryModel, totalBytes } from './repository.js';

export interface DownloadsOptions {
  /** The folder of all Inkling downloads. */
  readonly store: string;
  /** Such as `https://huggingface.co`; a setting, so that users can choose a mirror. */
  readonly repositoryUrl: () => string;
  readonly token: HttpOptions['token'];
  readonly inspect: DownloadOptions['inspect'];
  readonly fetch?: Fetch;
  readonly stallMs?: number;
  readonly retryDelaysMs?: readonly number[];
  readonly reservedBytes?: number;
  readonly spaceCheckBytes?: number;
}

/** What would be downloaded and where to; nothing is written yet. */
export interface DownloadPlan {
  readonly label: string;
  readonly modelPath: string;
  /** Null if only the download itself will show it. */
  readonly totalBytes: number | null;
  readonly repository: string | null;
  readonly files: DownloadRecord['files'];
}

const STALL_MS = 30_000;
const RETRY_DELAYS_MS = [1_000, 2_000, 5_000, 10_000, 20_000];
const RESERVED_BYTES = 2 ** 30;
const SPACE_CHECK_BYTES = 32 * 2 ** 20;

/** All downloads of this window. */
export class Downloads {
  readonly #options: DownloadsOptions;
  /** By the model's path: two requests for the same model are one download. */
  readonly #downloads = new Map<string, ModelDownload>();

  constructor(options: DownloadsOptions) {
    this.#options = options;
  }

  get store(): string {
    return this.#options.store;
  }

  /** Unfinished downloads of this window and earlier ones. */
  async unfinished(): Promise<readonly ModelDownload[]> {
    const recorded = await unfinishedModels(this.store);
    for (const modelPath of recorded) await this.#known(modelPath);
    // Another window may have finished a download that this one has paused.
    return [...this.#downloads.values()].filter(
      (download) => download.isRunning || recorded.includes(download.modelPath),
    );
  }

  /** Downloads that nobody has paused, and that no window runs any more. */
  async leftRunning(): Promise<readonly ModelDownload[]> {
    const left: ModelDownload[] = [];
    for (const download of await this.unfinished()) {
      if (download.isRunning || download.isBusyElsewhere()) continue;
      // Another window may have paused it since this one has read the record.
      if ((await readRecord(download.modelPath))?.state === 'running') left.push(download);
    }
    return left;
  }

  /**
   * @returns null where the signal ended the request
   * @throws DownloadError
   */
  async modelsOf(reference: RepositoryReference, signal: AbortSignal): Promise<readonly RepositoryModel[] | null> {
    const { repository, revision } = reference;
    try {
      return await listModels(this.#http(), this.#repositoryUrl, repository, revision, signal);
    } catch (thrown) {
      if (signal.aborted) return null;
      throw thrown;
    }
  }

  planForModel(reference: RepositoryReference, model: RepositoryModel, label: string): DownloadPlan {
    const { repository, revision } = reference;
    const folder = path.join(this.store, fittingName(repository.replace('/', '--')));
    const files = model.files.map(({ path: file, bytes, sha256 }) => ({
      url: fileUrl(this.#repositoryUrl, repository, revision, file),
      // Files of the same name in two folders of a repository are different models.
      name: safeName(file.replaceAll('/', '--')),
      bytes,
      sha256,
      validator: null,
    }));
    return { label, modelPath: modelPathOf(folder, files), totalBytes: totalBytes(model), repository, files };
  }

  /** @throws DownloadError `invalidSource` */
  planForUrl(text: string): DownloadPlan {
    const url = requireSafeUrl(text, this.#repositoryUrl);
    const name = safeName(path.posix.basename(decodePath(url.pathname)));
    // Two addresses may end in the same name.
    const folder = path.join(this.store, safeName(`${url.host}--${markOf(url.href)}`));
    const files = [{ url: url.href, name, bytes: null, sha256: null, validator: null }];
    return { label: name, modelPath: modelPathOf(folder, files), totalBytes: null, repository: null, files };
  }

  /** The planned download: a new one, or the existing one of the same model. */
  async prepare(
    { label, modelPath, repository, files }: DownloadPlan,
    modelPathBefore: string,
    use: DownloadUse = 'suggestions',
  ): Promise<ModelDownload> {
    await this.#known(modelPath);
    // Another call may have created the same download meanwhile.
    const known = this.#downloads.get(modelPath);
    if (known !== undefined && sameContent(known.record.files, files)) {
      known.adopt({ modelPathBefore, use });
      return known;
    }
    const record: DownloadRecord = { version: 1, label, repository, files, state: 'running', modelPathBefore, use };
    const download = this.#add(modelPath, record);
    await known?.cancel();
    return download;
  }

  /** Removes a finished download from the list, where another one may have taken its place. */
  forget(download: ModelDownload): void {
    if (this.#downloads.get(download.modelPath) === download) this.#downloads.delete(download.modelPath);
  }

  /** Whether a file is in our store, so that we may delete it. */
  owns(file: string): boolean {
    const relative = path.relative(this.store, file);
    return relative !== '' && !relative.startsWith('..') && !path.isAbsolute(relative);
  }

  /** @param files all parts of a downloaded model */
  async remove(files: readonly string[]): Promise<void> {
    const foreign = files.find((file) => !this.owns(file));
    if (foreign !== undefined) throw new DownloadError('disk', t('{0} was not downloaded by Inkling.', foreign));
    for (const file of files) await removeFile(file);
    const folders = new Set(files.map((file) => path.dirname(file)).filter((folder) => folder !== this.store));
    for (const folder of folders) LockFile.removeLeftovers(folder);
    // A folder that is not empty stays.
    for (const folder of folders) await rmdir(folder).catch(() => undefined);
  }

  /** The window closes: the next one resumes running downloads. */
  async dispose(): Promise<void> {
    await Promise.all([...this.#downloads.values()].map((download) => download.suspend()));
  }

  async #known(modelPath: string): Promise<ModelDownload | null> {
    const known = this.#downloads.get(modelPath);
    if (known !== undefined) {
      // Another window may have gone on with it.
      if (!known.isRunning) await known.measure();
      return known;
    }
    const record = await readRecord(modelPath);
    if (record === null) return null;
    const download = this.#downloads.get(modelPath) ?? this.#add(modelPath, record);
    await download.measure();
    return download;
  }

  #add(modelPath: string, record: DownloadRecord): ModelDownload {
    const { inspect, retryDelaysMs = RETRY_DELAYS_MS } = this.#options;
    const { reservedBytes = RESERVED_BYTES, spaceCheckBytes = SPACE_CHECK_BYTES } = this.#options;
    const options = { http: this.#http(), retryDelaysMs, reservedBytes, spaceCheckBytes, inspect };
    const download = new ModelDownload(modelPath, record, options);
    this.#downloads.set(modelPath, download);
    return download;
  }

  get #repositoryUrl(): string {
    return withoutTrailingSlashes(this.#options.repositoryUrl());
  }

  #http(): HttpClient {
    const { fetch, token, stallMs = STALL_MS } = this.#options;
    const tokenOrigin = requireSafeUrl(this.#repositoryUrl, this.#repositoryUrl).origin;
    return new HttpClient({ ...(fetch === undefined ? {} : { fetch }), token, tokenOrigin, stallMs });
  }
}

/** Another length or hash means that the repository now has another file. */
function sameContent(left: DownloadRecord['files'], right: DownloadRecord['files']): boolean {
  return (
    left.length === right.length &&
    left.every(({ url, sha256 }, index) => url === right[index]?.url && sha256 === right[index].sha256)
  );
}

/** A name that every file system accepts and that cannot lead to another folder. */
function safeName(text: string): string {
  const safe = text.replace(/[^\w.()+-]/g, '_').replace(/^\.+/, '_');
  // Devices of Windows, whatever follows the dot.
  return fittingName(/^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(safe) ? `_${safe}` : safe);
}

/** File systems take 255 bytes. While a lock is taken, a file beside it has 46 more than the model. */
const LONGEST_NAME = 200;

/** The parts of a model keep their numbers and share the rest of the name. */
const PART_ENDING = /-\d{5}-of-\d{5}\.gguf$/i;

/** A long name loses its middle, and gets a mark of the whole. */
function fittingName(name: string): string {
  if (name.length <= LONGEST_NAME) return name;
  const ending = PART_ENDING.exec(name)?.[0] ?? '';
  const stem = name.slice(0, name.length - ending.length);
  const middle = `--${markOf(stem)}--`;
  const room = LONGEST_NAME - middle.length - ending.length;
  const head = Math.ceil(room / 2);
  return stem.slice(0, head) + middle + stem.slice(head - room) + ending;
}

/** The same for the same text. */
function markOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 8);
}

function modelPathOf(folder: string, files: DownloadRecord['files']): string {
  return path.join(folder, files[0]?.name ?? 'model.gguf');
}
