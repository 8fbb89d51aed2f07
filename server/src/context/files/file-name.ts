import path from 'node:path/posix';
import type { FileLocation } from './file-location.js';

/**
 * A file's name in a prompt: relative to its workspace folder, as in models' training data; outside every folder the
 * base name. A file name may contain a line end; the prompt's line may not.
 */
export function nameOf({ key, path: file }: FileLocation, folder: string | null): string {
  const name =
    file === '' ? key.slice(key.indexOf(':') + 1) : folder === null ? path.basename(file) : path.relative(folder, file);
  return name.replace(/[\r\n]+/g, ' ');
}
