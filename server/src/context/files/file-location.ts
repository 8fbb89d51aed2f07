/** The parts of a document's URI that the context needs. */
export interface FileLocation {
  /** Equal for every spelling of one file's URI. */
  readonly key: string;
  readonly scheme: string;
  readonly authority: string;
  /** Decoded, absolute, with forward slashes; empty for a document that is not a file, and will be none that is known. */
  readonly path: string;
}

/** The key of a file on a disk of this machine is its path; the key of anything else is its URI. */
export function locationOf(uri: string): FileLocation {
  const [, scheme = '', authority = '', encoded = ''] =
    /^([a-z][a-z0-9+.-]*):(?:\/\/([^/?#]*))?([^?#]*)/i.exec(uri) ?? [];
  // An editor asked to open a file that does not exist yet begins an untitled document with its path.
  const isFile = scheme !== 'data' && (scheme !== 'untitled' || encoded.startsWith('/'));
  const path = isFile ? normalDrive(decode(encoded)) : '';
  // A cell is a document of its own with its notebook's path.
  return { key: scheme === 'file' && authority === '' ? path : uri, scheme, authority, path };
}

export function locationOfKey(key: string): FileLocation {
  return key.startsWith('/') ? { key, scheme: 'file', authority: '', path: key } : locationOf(key);
}

/** A location's path in the file system's form. */
export function fileSystemPath(path: string): string {
  return /^\/[a-z]:/i.test(path) ? path.slice(1) : path;
}

/** The inverse, for the form of Windows too. */
export function pathFromFileSystem(file: string): string {
  return normalDrive(file.replaceAll('\\', '/').replace(/^(?=[a-z]:)/i, '/'));
}

/** In UTF-16 units, as no system has longer paths, and in folders, as each costs looks at the disk. */
const LONGEST_PATH = 4_096;
const MOST_FOLDERS = 256;

/** Whether a file that people work in may be there: a client may name any place. */
export function canBePath(path: string): boolean {
  return path.length <= LONGEST_PATH && !path.includes('\0') && path.split('/').length <= MOST_FOLDERS;
}

export function isInFolder(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

/** Equal for all cells of one notebook; null for what is no cell. */
export function notebookOf(uri: string): string | null {
  return uri.startsWith('vscode-notebook-cell:') ? (uri.split('#', 1)[0] ?? null) : null;
}

function normalDrive(path: string): string {
  return path.replace(/^\/([A-Z]):/, (_, drive: string) => `/${drive.toLowerCase()}:`);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return text;
    throw error;
  }
}
