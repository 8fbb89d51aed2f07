import { posix, win32 } from 'node:path';
import type { ModelSource } from '../../../protocol/index.js';

export type DiscoverableSource = Extract<
  ModelSource,
  'download' | 'huggingFaceCache' | 'lmStudio' | 'ollama' | 'llamaCppCache'
>;

/** What determines where other programs keep their models. */
export interface SystemEnvironment {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export interface ModelLocation {
  readonly source: DiscoverableSource;
  readonly folder: string;
}

/**
 * The folders that may contain models, by the rules of the programs that own them. For LM Studio these are the
 * defaults: lm-studio.ts finds folders that the user has set.
 */
export function modelLocations({ platform, home, environment }: SystemEnvironment): readonly ModelLocation[] {
  const { join } = platform === 'win32' ? win32 : posix;
  const variable = (name: string): string | null => environment[name] || null;
  const below = (folder: string | null, ...parts: string[]): string | null =>
    folder === null ? null : join(folder, ...parts);

  const huggingFace =
    variable('HF_HUB_CACHE') ??
    variable('HUGGINGFACE_HUB_CACHE') ??
    below(variable('HF_HOME'), 'hub') ??
    below(variable('XDG_CACHE_HOME'), 'huggingface', 'hub') ??
    join(home, '.cache', 'huggingface', 'hub');
  const ollama = variable('OLLAMA_MODELS') ?? join(home, '.ollama', 'models');

  const locations: ModelLocation[] = [
    { source: 'huggingFaceCache', folder: huggingFace },
    { source: 'lmStudio', folder: join(home, '.lmstudio', 'models') },
    { source: 'lmStudio', folder: join(home, '.cache', 'lm-studio', 'models') },
    { source: 'ollama', folder: ollama },
    { source: 'llamaCppCache', folder: variable('LLAMA_CACHE') ?? llamaCppCache(platform, home, variable) },
  ];
  // Ollama's installer for Linux runs it as a separate user.
  if (platform === 'linux') locations.push({ source: 'ollama', folder: '/usr/share/ollama/.ollama/models' });
  return locations.filter(({ folder }, index) => locations.findIndex((earlier) => earlier.folder === folder) === index);
}

function llamaCppCache(platform: NodeJS.Platform, home: string, variable: (name: string) => string | null): string {
  switch (platform) {
    case 'win32':
      return win32.join(variable('LOCALAPPDATA') ?? win32.join(home, 'AppData', 'Local'), 'llama.cpp');
    case 'darwin':
      return posix.join(home, 'Library', 'Caches', 'llama.cpp');
    default:
      return posix.join(variable('XDG_CACHE_HOME') ?? posix.join(home, '.cache'), 'llama.cpp');
  }
}
