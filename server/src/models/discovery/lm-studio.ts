import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ifReadable } from '../../util/if-readable.js';

/** Folders that LM Studio was told to keep models in, beside its defaults. */
export async function lmStudioFolders(home: string): Promise<readonly string[]> {
  const moved = (await ifReadable(readFile(join(home, '.lmstudio-home-pointer'), 'utf8')))?.trim();
  const studio = moved || join(home, '.lmstudio');
  const folders = moved ? [join(moved, 'models')] : [];
  const chosen = downloadsFolder(await ifReadable(readFile(join(studio, 'settings.json'), 'utf8')));
  return chosen === null ? folders : [...folders, chosen];
}

/** LM Studio's own settings file: not ours, so anything may stand in it. */
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
