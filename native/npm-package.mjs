// Fetches files of an npm package by its integrity. The package is neither installed nor run.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';

/** Standard output may carry an answer, so what commands print goes to standard error. */
export function run(command, args, cwd) {
  execFileSync(command, args, { cwd, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' });
}

/**
 * Unpacks one file of a package.
 *
 * @param {{ specifier: string, integrity: string, file: string }} npmPackage `specifier` is name@version, `integrity` the
 *   registry's sha512, and `file` a path in the package, from `package/`
 * @param {string} folder gets the file at that path
 * @throws Error if the package is not the one with this integrity; then nothing is unpacked
 */
export function unpackFile({ specifier, integrity, file }, folder) {
  // The reason of a failure is npm's to say, and nothing else.
  run('npm', ['pack', specifier, '--loglevel=error', '--pack-destination', folder], folder);
  const tarball = path.join(folder, `${specifier.replace('@', '-')}.tgz`);
  const actual = `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`;
  if (actual !== integrity) {
    throw new Error(`${specifier} has integrity ${actual}, expected ${integrity}; nothing was unpacked`);
  }
  run('tar', ['-xzf', tarball, file], folder);
}
