import { realpath } from 'node:fs/promises';
import path from 'node:path/posix';
import { fileSystemPath, pathFromFileSystem } from '../files/file-location.js';
import { isMissing } from './git-ignore.js';

/**
 * Where a file is, links followed. One that does not exist yet, such as one never saved, is at its own path.
 *
 * @param isAbsent the errors that mean so; others are thrown
 */
export async function realPath(file: string, isAbsent: (error: unknown) => boolean = isMissing): Promise<string> {
  try {
    return pathFromFileSystem(await realpath(fileSystemPath(file)));
  } catch (error) {
    if (!isAbsent(error)) throw error;
    const folder = path.dirname(file);
    return folder === file ? file : path.join(await realPath(folder, isAbsent), path.basename(file));
  }
}
