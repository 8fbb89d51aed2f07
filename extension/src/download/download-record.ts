import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** One file of a download. */
export interface RecordedFile {
  readonly url: string;
  /** Its name in the record's folder once it is complete. */
  readonly name: string;
  /** Null until the server reports it. */
  readonly bytes: number | null;
  /** Lower-case hex; null if nothing states it. */
  readonly sha256: string | null;
  /** The server's validator of the version whose download began. */
  readonly validator: string | null;
}

/** What the user wants the model for: suggestions and chat, or chat alone. */
export type DownloadUse = 'suggestions' | 'chat';

/**
 * The record beside an unfinished download, with all that is needed to resume it after the window or the machine was
 * closed.
 */
export interface DownloadRecord {
  readonly version: 1;
  /** For the user. */
  readonly label: string;
  /** Where the user gets access and accepts conditions; null for a plain address. */
  readonly repository: string | null;
  /** All parts of a split model in order; the first one names the model. */
  readonly files: readonly RecordedFile[];
  /** A paused download waits for the user; a running one resumes by itself. */
  readonly state: 'running' | 'paused';
  /** The model setting when the user asked for the download last: if the user has changed it since, they keep their choice. */
  readonly modelPathBefore: string;
  readonly use: DownloadUse;
}

/** What the user wants of a download. */
export type DownloadRequest = Pick<DownloadRecord, 'modelPathBefore' | 'use'>;

/**
 * Whether a finished download is used at once: the user has made no other choice since it began. A user of a
 * remote server may have connected to it meanwhile, and is asked.
 *
 * @param modelPath the model setting now
 * @param remoteUrl empty for this machine
 */
export function isStillChosen(
  {
    modelPath: downloaded,
    record,
  }: { readonly modelPath: string; readonly record: Pick<DownloadRecord, 'modelPathBefore'> },
  modelPath: string,
  remoteUrl: string,
): boolean {
  // The second where another window has downloaded and chosen it.
  return (modelPath === record.modelPathBefore || modelPath === downloaded) && remoteUrl === '';
}

const ENDING = '.download.json';

/** Larger ones are not ours: the longest has 500 parts, each with an address and a validator of some kilobytes. */
const MOST_BYTES = 2 ** 24;

/** Path of the record of the download whose first file has this path. */
function recordPath(modelPath: string): string {
  return modelPath + ENDING;
}

export function partialPath(filePath: string): string {
  return `${filePath}.part`;
}

function draftPath(modelPath: string): string {
  return `${recordPath(modelPath)}.tmp`;
}

export async function writeRecord(modelPath: string, record: DownloadRecord): Promise<void> {
  const target = recordPath(modelPath);
  const draft = draftPath(modelPath);
  try {
    await writeFile(draft, JSON.stringify(record, undefined, 2), { flush: true });
    await rename(draft, target);
  } catch (error) {
    // A full disk leaves half a draft; the earlier record stays whole.
    await rm(draft, { force: true });
    throw error;
  }
}

/** Null if there is none, or if it is invalid. */
export async function readRecord(modelPath: string): Promise<DownloadRecord | null> {
  try {
    // Other programs may have put anything there: a pipe would be waited for.
    const found = await stat(recordPath(modelPath));
    if (!found.isFile() || found.size > MOST_BYTES) return null;
    return parseRecord(JSON.parse(await readFile(recordPath(modelPath), 'utf8')));
  } catch (error) {
    if (error instanceof SyntaxError || (error instanceof Error && 'code' in error)) return null;
    throw error;
  }
}

export async function removeRecord(modelPath: string): Promise<void> {
  await rm(recordPath(modelPath), { force: true });
  // A window that was killed while it wrote has left a draft.
  await rm(draftPath(modelPath), { force: true });
}

/** Paths of models in the store whose download is unfinished. */
export async function unfinishedModels(store: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(store, { recursive: true, withFileTypes: true });
    return entries
      .filter((entry) => entry.isFile() && entry.name.endsWith(ENDING))
      .map((entry) => path.join(entry.parentPath, entry.name.slice(0, -ENDING.length)))
      .sort();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}

function parseRecord(value: unknown): DownloadRecord | null {
  if (typeof value !== 'object' || value === null) return null;
  const { version, label, repository, files, state, modelPathBefore, use } = value as Record<string, unknown>;
  const valid =
    version === 1 &&
    typeof label === 'string' &&
    isTextOrNull(repository) &&
    (state === 'running' || state === 'paused') &&
    typeof modelPathBefore === 'string' &&
    Array.isArray(files) &&
    files.length > 0 &&
    files.every(isRecordedFile);
  // Records of earlier versions say no use.
  return valid
    ? { version, label, repository, files, state, modelPathBefore, use: use === 'chat' ? 'chat' : 'suggestions' }
    : null;
}

function isRecordedFile(value: unknown): value is RecordedFile {
  if (typeof value !== 'object' || value === null) return false;
  const { url, name, bytes, sha256, validator } = value as Record<string, unknown>;
  return (
    typeof url === 'string' &&
    URL.canParse(url) &&
    typeof name === 'string' &&
    name !== '' &&
    // Other programs may have written the record: a name must not lead out of the folder.
    name === path.basename(name) &&
    name !== '.' &&
    name !== '..' &&
    (bytes === null || (typeof bytes === 'number' && Number.isSafeInteger(bytes) && bytes >= 0)) &&
    isTextOrNull(sha256) &&
    isTextOrNull(validator)
  );
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === 'string';
}
