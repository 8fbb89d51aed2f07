import { t } from '../../../server/protocol/index.js';
import { DownloadError } from './download-error.js';
import type { HttpClient } from './http-client.js';

/** A file in the repository's API, the only source of its length and hash. */
export interface RepositoryEntry {
  /** Within the repository. */
  readonly path: string;
  readonly bytes: number;
  /** Lower-case hex; null for a file stored without one. */
  readonly sha256: string | null;
}

/** One model of a repository with all its files. */
export interface RepositoryModel {
  /** Without `.gguf` and without the numbers of its parts. */
  readonly name: string;
  readonly files: readonly RepositoryEntry[];
}

const MAX_PAGES = 20;
/** Nobody chooses from a longer list, and sorting one takes minutes. */
const MAX_FILES = 10_000;
/** The largest models have about a hundred. The record of a download must hold the addresses of all. */
const MAX_PARTS = 500;
/** In UTF-16 units. No file system has longer paths, and sorting many takes seconds. */
const LONGEST_PATH = 1_000;

/** GGUF files that accompany a model: projectors, draft heads, importance matrices. */
const COMPANION = /(^|[-._/])(mmproj|mtp|dflash|eagle3|dspark|imatrix)([-._]|$)/i;

const PART = /-(\d{5})-of-(\d{5})$/;

/**
 * The models of a repository, from its API.
 *
 * @throws DownloadError `notFound`, `unauthorized`, `server`, `network`
 */
export async function listModels(
  http: HttpClient,
  repositoryUrl: string,
  repository: string,
  revision: string,
  signal: AbortSignal,
): Promise<readonly RepositoryModel[]> {
  // A list that changes between two pages may name a file twice.
  const entries = new Map<string, RepositoryEntry>();
  let page: string | null =
    `${repositoryUrl}/api/models/${repository}/tree/${encodeURIComponent(revision)}?recursive=true`;
  for (let count = 0; page !== null && count < MAX_PAGES; count += 1) {
    const { value, headers } = await http.json(page, signal);
    // In a loop: a call with a hundred thousand arguments fails.
    for (const entry of parseTree(value, repository)) if (/\.gguf$/i.test(entry.path)) entries.set(entry.path, entry);
    if (entries.size > MAX_FILES) throw unexpected(repository);
    page = nextPage(headers.get('link'), page);
  }
  return groupParts([...entries.values()]);
}

export function fileUrl(repositoryUrl: string, repository: string, revision: string, path: string): string {
  const encoded = path.split('/').map(encodeURIComponent).join('/');
  return `${repositoryUrl}/${repository}/resolve/${encodeURIComponent(revision)}/${encoded}`;
}

/**
 * The model of a file path, or of a quantization such as `Q4_K_M`. The shortest name wins, since it has nothing added.
 * Null without a match.
 */
export function selectModel(models: readonly RepositoryModel[], selector: string): RepositoryModel | null {
  const named = models.find(
    ({ name, files }) =>
      name === selector || files.some(({ path }) => path === selector || fileName(path) === selector),
  );
  if (named !== undefined) return named;
  const tag = selector.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const pattern = new RegExp(`(^|[-._/])${tag}($|[-._/])`, 'i');
  const [best] = offered(models)
    .filter(({ name }) => pattern.test(name))
    .sort((left, right) => left.name.length - right.name.length || left.name.localeCompare(right.name));
  return best ?? null;
}

/** Models without their companions, smallest first. */
export function offered(models: readonly RepositoryModel[]): readonly RepositoryModel[] {
  return models.filter(({ name }) => !COMPANION.test(name)).sort((left, right) => totalBytes(left) - totalBytes(right));
}

export function totalBytes({ files }: RepositoryModel): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

function fileName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Leaves out a model with missing parts, since it could not be loaded. */
function groupParts(entries: readonly RepositoryEntry[]): RepositoryModel[] {
  const groups = new Map<string, RepositoryEntry[]>();
  for (const entry of entries) {
    const stem = entry.path.replace(/\.gguf$/i, '');
    const name = stem.replace(PART, '');
    const group = PART.test(stem) ? `${name}\n${PART.exec(stem)?.[2]}` : name;
    const parts = groups.get(group);
    if (parts === undefined) groups.set(group, [entry]);
    else parts.push(entry);
  }
  return [...groups].flatMap(([key, files]) => {
    const [name = '', count] = key.split('\n');
    if (files.length > MAX_PARTS) return [];
    const sorted = [...files].sort((left, right) => left.path.localeCompare(right.path));
    return count === undefined || sorted.length === Number(count) ? [{ name, files: sorted }] : [];
  });
}

function parseTree(value: unknown, repository: string): RepositoryEntry[] {
  if (!Array.isArray(value)) throw unexpected(repository);
  return value.flatMap((entry: unknown) => {
    if (typeof entry !== 'object' || entry === null) return [];
    const { type, path, size, lfs } = entry as Record<string, unknown>;
    if (type !== 'file' || typeof path !== 'string' || path.length > LONGEST_PATH || !isLength(size)) return [];
    // The name becomes a path on this machine, so a path that leads to another folder is refused.
    if (/\p{Cc}/u.test(path) || path.split(/[/\\]/).some((part) => part === '' || part === '.' || part === '..'))
      return [];
    const large = typeof lfs === 'object' && lfs !== null ? (lfs as Record<string, unknown>) : {};
    const oid = typeof large.oid === 'string' ? large.oid.replace(/^sha256:/, '').toLowerCase() : '';
    const bytes = isLength(large.size) ? large.size : size;
    return [{ path, bytes, sha256: /^[0-9a-f]{64}$/.test(oid) ? oid : null }];
  });
}

function isLength(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function unexpected(repository: string): DownloadError {
  return new DownloadError('server', t('The file list of {0} has an unexpected format.', repository));
}

/** From a `Link` header. The list may continue on the same host only. */
function nextPage(link: string | null, current: string): string | null {
  const next = /<([^<>]+)>\s*;\s*rel="?next"?/.exec(link ?? '')?.[1];
  if (next === undefined || !URL.canParse(next, current)) return null;
  const url = new URL(next, current);
  return url.origin === new URL(current).origin ? url.href : null;
}
