import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The repository's root, where vitest and the npm scripts run. */
export const REPOSITORY_ROOT = process.cwd();

/** The build's folder of tree-sitter grammars. */
export const GRAMMARS_DIRECTORY = path.join(REPOSITORY_ROOT, 'dist', 'grammars');

/** Text of a file, named relative to the root with forward slashes. */
export function readSource(file: string): string {
  return readFileSync(path.join(REPOSITORY_ROOT, file), 'utf8');
}

/** Files below a folder with matching names, relative to the root with forward slashes; none without the folder. */
export function listSources(folder: string, name: RegExp): readonly string[] {
  const absolute = path.join(REPOSITORY_ROOT, folder);
  if (!existsSync(absolute)) return [];
  return readdirSync(absolute, { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file.replaceAll(path.sep, '/')}`)
    .filter((file) => name.test(file))
    .sort();
}
