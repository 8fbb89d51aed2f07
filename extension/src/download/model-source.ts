import { type RepositoryFile, t } from '../../../server/protocol/index.js';
import { DownloadError } from './download-error.js';

/** The model that the user or the catalogue asks for. */
export type ModelReference =
  | {
      readonly kind: 'repository';
      /** `owner/name`. */
      readonly repository: string;
      /** A branch, tag or commit. */
      readonly revision: string;
      /** A file's path in the repository, or the quantization in its name; null leaves the choice open. */
      readonly file: string | null;
    }
  | { readonly kind: 'url'; readonly url: string };

export type RepositoryReference = Extract<ModelReference, { readonly kind: 'repository' }>;

const REPOSITORY = /^[A-Za-z0-9][\w.-]*\/[A-Za-z0-9][\w.-]*$/;

/** The forms on model pages and in llama.cpp's `-hf`: `owner/repo`, `owner/repo:file.gguf`, `owner/repo:Q4_K_M`. */
const REFERENCE = /^(?:hf\.co\/|huggingface\.co\/)?([^/\s:]+\/[^/\s:]+)(?::(.+))?$/;

/** `/owner/repo/resolve/main/path/file.gguf`, and the pages that show the same file. */
const FILE_PAGE = /^\/([^/]+\/[^/]+)\/(?:resolve|blob|raw)\/([^/]+)\/(.+)$/;

/** The newest version of what the catalogue names. */
export function referenceOf({ repository, file }: RepositoryFile): RepositoryReference {
  return { kind: 'repository', repository, revision: 'main', file };
}

/** The model that a text names; null for an incomplete or invalid text. */
export function parseReference(text: string, repositoryUrl: string): ModelReference | null {
  const trimmed = text.trim();
  if (/^https?:\/\//i.test(trimmed)) return parseAddress(trimmed, repositoryUrl);
  const [, repository = '', file] = REFERENCE.exec(trimmed) ?? [];
  if (!isRepository(repository) || /\.gguf$/i.test(repository)) return null;
  return { kind: 'repository', repository, revision: 'main', file: file?.trim() || null };
}

function parseAddress(text: string, repositoryUrl: string): ModelReference | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  const isHub = ['https://huggingface.co', 'https://hf.co', new URL(repositoryUrl).origin].includes(url.origin);
  if (isHub) {
    const [, repository = '', revision = '', file = ''] = FILE_PAGE.exec(decodePath(url.pathname)) ?? [];
    if (isRepository(repository)) return { kind: 'repository', repository, revision, file };
    const page = url.pathname.slice(1).replace(/\/(?:tree\/main)?$/, '');
    return isRepository(page) ? { kind: 'repository', repository: page, revision: 'main', file: null } : null;
  }
  return /\.gguf$/i.test(url.pathname) ? { kind: 'url', url: url.href } : null;
}

/** Checked before any request or write: names become parts of addresses and paths. */
export function isRepository(text: string): boolean {
  return REPOSITORY.test(text) && !text.includes('..');
}

/**
 * Plain http is allowed for this machine and the host in the user's settings only.
 *
 * @throws DownloadError `invalidSource`
 */
export function requireSafeUrl(text: string, repositoryUrl: string): URL {
  if (!URL.canParse(text)) throw new DownloadError('invalidSource', t('{0} is not a valid address.', text));
  const url = new URL(text);
  const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  const isNamed = URL.canParse(repositoryUrl) && url.origin === new URL(repositoryUrl).origin;
  if (url.protocol === 'https:' || (url.protocol === 'http:' && (isLocal || isNamed))) return url;
  throw new DownloadError('invalidSource', t('{0} does not use https. Inkling downloads over https only.', text));
}

/** A readable path; one with an invalid encoding stays as it is. */
export function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch (error) {
    if (error instanceof URIError) return path;
    throw error;
  }
}
