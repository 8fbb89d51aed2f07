/** Where a document is: the parts of its URI that the context needs. */
export interface FileLocation {
  /** The same for every spelling of the same file's URI. */
  readonly key: string;
  readonly scheme: string;
  readonly authority: string;
  /** Decoded, absolute, with forward slashes; empty for a document that is no file. */
  readonly path: string;
}

const WITHOUT_PATH = new Set(['untitled', 'data']);

/** Files on disk are known by their path, everything else by its URI. */
export function locationOf(uri: string): FileLocation {
  const [, scheme = '', authority = '', encoded = ''] =
    /^([a-z][a-z0-9+.-]*):(?:\/\/([^/?#]*))?([^?#]*)/i.exec(uri) ?? [];
  const path = WITHOUT_PATH.has(scheme) ? '' : normalDrive(decode(encoded));
  // A cell is a document of its own in its notebook's file.
  return { key: scheme === 'file' ? path : uri, scheme, authority, path };
}

export function locationOfKey(key: string): FileLocation {
  return key.startsWith('/') ? { key, scheme: 'file', authority: '', path: key } : locationOf(key);
}

/** What the file system calls a location's path. */
export function fileSystemPath(path: string): string {
  return /^\/[a-z]:/i.test(path) ? path.slice(1) : path;
}

/** The other way round, also for what Windows writes. */
export function pathFromFileSystem(file: string): string {
  return normalDrive(file.replaceAll('\\', '/').replace(/^(?=[a-z]:)/i, '/'));
}

export function isInFolder(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
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
