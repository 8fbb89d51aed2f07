import { realpath } from 'node:fs/promises';
import { ifReadable } from '../../util/if-readable.js';
import { lmStudioFolders } from './lm-studio.js';
import { type DiscoverableSource, type ModelLocation, modelLocations, type SystemEnvironment } from './locations.js';
import { ollamaModels } from './ollama.js';
import { scanFolder } from './scan-folder.js';

export interface FoundModel {
  readonly source: DiscoverableSource;
  readonly path: string;
  /** The owner's name for it; null to use the file's own name. */
  readonly name: string | null;
}

export interface Discovery {
  readonly models: readonly FoundModel[];
  /** Folders whose search stopped early because they contain too many files. */
  readonly unfinishedFolders: readonly string[];
}

/**
 * The models on this machine: our own downloads and those of other programs. Lists each file once, from its first
 * source.
 *
 * @param storeDirectory of our downloads; null without one
 */
export async function discoverModels(
  surroundings: SystemEnvironment,
  storeDirectory: string | null,
  signal: AbortSignal,
): Promise<Discovery> {
  const own: readonly ModelLocation[] = storeDirectory === null ? [] : [{ source: 'download', folder: storeDirectory }];
  const moved = lmStudioFolders(surroundings.home).map((folder) => ({ source: 'lmStudio', folder }) as const);
  const models: FoundModel[] = [];
  const unfinishedFolders: string[] = [];
  const seen = new Set<string>();

  const add = async (model: FoundModel): Promise<void> => {
    const real = await ifReadable(realpath(model.path));
    if (real === null || seen.has(real)) return;
    seen.add(real);
    models.push(model);
  };
  for (const { source, folder } of [...own, ...modelLocations(surroundings), ...moved]) {
    if (signal.aborted) break;
    if (source === 'ollama') {
      for (const { name, path } of await ollamaModels(folder, signal)) await add({ source, path, name });
      continue;
    }
    const { paths, complete } = await scanFolder(folder, signal);
    for (const path of paths) await add({ source, path, name: null });
    if (!complete) unfinishedFolders.push(folder);
  }
  return { models, unfinishedFolders };
}
