import { join } from 'node:path';
import { readSmallFile, StrangeFileError } from '../../util/files/read-small-file.js';

/** A path, or a file of settings: LM Studio's own have some kilobytes. */
const MOST_BYTES = 2 ** 20;

/** The folders set in LM Studio besides its default ones. */
export function lmStudioFolders(home: string): readonly string[] {
  const moved = textOf(join(home, '.lmstudio-home-pointer'))?.trim();
  const studio = moved || join(home, '.lmstudio');
  const folders = moved ? [join(moved, 'models')] : [];
  const chosen = downloadsFolder(textOf(join(studio, 'settings.json')));
  return chosen === null ? folders : [...folders, chosen];
}

/** Null where there is none, or where something else is in its place. */
function textOf(path: string): string | null {
  try {
    return readSmallFile(path, MOST_BYTES).text;
  } catch (error) {
    if (error instanceof StrangeFileError || (error instanceof Error && 'code' in error)) return null;
    throw error;
  }
}

/** Reads LM Studio's own settings file, whose content we cannot rely on. */
function downloadsFolder(text: string | null): string | null {
  if (text === null) return null;
  try {
    const settings: unknown = JSON.parse(text);
    if (typeof settings !== 'object' || settings === null || !('downloadsFolder' in settings)) return null;
    return typeof settings.downloadsFolder === 'string' && settings.downloadsFolder !== ''
      ? settings.downloadsFolder
      : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
