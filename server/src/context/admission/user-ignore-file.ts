import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path/posix';
import { ifReadable } from '../../util/if-readable.js';
import { fileSystemPath, pathFromFileSystem } from '../files/file-location.js';

/** Nobody's configuration is longer. */
const MOST_CHARACTERS = 262_144;

/**
 * Where the user's rules for all repositories are, as git finds them: `core.excludesFile` of the user's configuration, or
 * its default. What the configuration includes is not followed.
 */
export async function userIgnoreFile(
  environment: NodeJS.ProcessEnv = process.env,
  home: string = homedir(),
): Promise<string> {
  const ownHome = pathFromFileSystem(environment.HOME || home);
  const folder = path.join(pathFromFileSystem(environment.XDG_CONFIG_HOME || `${ownHome}/.config`), 'git');
  const global = environment.GIT_CONFIG_GLOBAL;
  // The last one that says something counts.
  const files = global ? [pathFromFileSystem(global)] : [`${ownHome}/.gitconfig`, `${folder}/config`];
  for (const file of files) {
    const text = await ifReadable(readFile(fileSystemPath(file), 'utf8'));
    const value = text === null ? null : excludesFileIn(text.slice(0, MOST_CHARACTERS));
    if (value === null) continue;
    const named = pathFromFileSystem(value.startsWith('~/') ? `${ownHome}${value.slice(1)}` : value);
    if (named.startsWith('/')) return named;
  }
  return path.join(folder, 'ignore');
}

/** The last value of `core.excludesFile`; null without one. */
function excludesFileIn(text: string): string | null {
  let isCore = false;
  let value: string | null = null;
  for (const line of text.split('\n')) {
    const section = /^\s*\[([^\]]*)\]/.exec(line);
    if (section !== null) isCore = section[1]?.trim().toLowerCase() === 'core';
    const [, quoted, plain] = /^\s*excludesfile\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^#;]*))/i.exec(line) ?? [];
    const written = quoted ?? plain?.trim() ?? '';
    if (isCore && written !== '') value = written.replace(/\\(.)/g, '$1');
  }
  return value;
}
