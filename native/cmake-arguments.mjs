// What CMake is told when it configures a build folder.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/**
 * The generator that a build folder was made with: CMake refuses another one there.
 *
 * @param {string} folder
 * @returns {string | null} null where CMake has not made it
 */
export function presentGenerator(folder) {
  const cache = path.join(folder, 'CMakeCache.txt');
  if (!existsSync(cache)) return null;
  return /^CMAKE_GENERATOR:INTERNAL=(.+?)\r?$/m.exec(readFileSync(cache, 'utf8'))?.[1] ?? null;
}

/**
 * CMake's arguments for a build folder: the generator that it has, or else Ninja where there is one.
 *
 * @param {string} folder
 * @returns {readonly string[]}
 */
export function generatorArguments(folder) {
  const present = presentGenerator(folder);
  if (present !== null) return ['-G', present];
  return spawnSync('ninja', ['--version'], { stdio: 'ignore' }).status === 0 ? ['-G', 'Ninja'] : [];
}

/**
 * The source that is built: the pinned one, too, has to be said. CMake remembers the developer's own otherwise.
 *
 * @param {NodeJS.ProcessEnv} environment
 * @returns {string}
 */
export function llamaDefinition({ INKLING_LLAMA_DIR = '' }) {
  return `-DINKLING_LLAMA_DIR=${INKLING_LLAMA_DIR}`;
}
