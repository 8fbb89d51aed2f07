import { withoutTrailingSlashes } from '../../../protocol/index.js';

/**
 * A document's name in a prompt: relative to its workspace folder with forward slashes, as in models' training data;
 * outside every folder the base name; null for what is not a file (untitled documents, notebook cells).
 */
export function documentPath(uri: string, folderUris: readonly string[]): string | null {
  const path = pathOf(uri);
  if (path === null) return null;
  const folder = folderUris
    .map(pathOf)
    .map((folderPath) => (folderPath === null ? null : `${withoutTrailingSlashes(folderPath)}/`))
    .filter((folderPath) => folderPath !== null && path.startsWith(folderPath))
    // The innermost of nested folders.
    .sort((left, right) => (right?.length ?? 0) - (left?.length ?? 0))[0];
  const name = folder ? path.slice(folder.length) : path.slice(path.lastIndexOf('/') + 1);
  // A file name may contain a line end; the prompt's first line may not.
  return name === '' ? null : name.replace(/[\r\n]+/g, ' ');
}

const WITHOUT_PATH = new Set(['untitled', 'vscode-notebook-cell', 'data']);

function pathOf(uri: string): string | null {
  const parts = /^([a-z][a-z0-9+.-]*):(?:\/\/[^/?#]*)?([^?#]*)/i.exec(uri);
  const [, scheme = '', path = ''] = parts ?? [];
  if (parts === null || WITHOUT_PATH.has(scheme)) return null;
  try {
    return decodeURIComponent(path);
  } catch (error) {
    if (error instanceof URIError) return path;
    throw error;
  }
}
