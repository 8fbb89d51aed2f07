import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ifReadable } from '../../util/if-readable.js';

/** The folders set in LM Studio besides its default ones. */
export async function lmStudioFolders(home: string): Promise<readonly string[]> {
  const moved = (await ifReadable(readFile(join(home, '.lmstudio-home-pointer'), 'utf8')))?.trim();
  const studio = moved || join(home, '.lmstudio');
  const folders = moved ? [join(moved, 'models')] : [];
  const chosen = downloadsFolder(await ifReadable(readFile(join(studio, 'settings.json'), 'utf8')));
  return chosen === null ? folders : [...folders, chosen];
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
