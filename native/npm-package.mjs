// Fetches files of an npm package by its integrity. The package is neither installed nor run.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';

/** Standard output may carry an answer, so what commands print goes to standard error. */
export function run(command, args, cwd, options = {}) {
  execFileSync(command, args, { cwd, stdio: ['ignore', 2, 2], ...options });
}

/** On Windows npm is a script, which needs a shell. Node warns of arguments beside a shell; none of these has blanks. */
function npm(args, cwd) {
  if (process.platform === 'win32') run(['npm', ...args].join(' '), [], cwd, { shell: true });
  else run('npm', args, cwd);
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
  npm(['pack', specifier, '--loglevel=error'], folder);
  // Without its folder: GNU's tar takes a colon for the end of a host's name.
  const tarball = `${specifier.replace('@', '-')}.tgz`;
  const bytes = readFileSync(path.join(folder, tarball));
  const actual = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
  if (actual !== integrity) {
    throw new Error(`${specifier} has integrity ${actual}, expected ${integrity}; nothing was unpacked`);
  }
  run('tar', ['-xzf', tarball, file], folder);
}

/**
 * Moves a whole tree to its place, so that half of one never lies there. Another process may do the same: then its tree
 * stays.
 *
 * @param {string} source
 * @param {string} target
 * @param {string} sign a file that only whole trees have
 */
export function moveInto(source, target, sign) {
  const isThere = () => existsSync(path.join(target, sign));
  if (isThere()) return;
  rmSync(target, { recursive: true, force: true });
  try {
    renameSync(source, target);
  } catch (error) {
    if (!isThere()) throw error;
  }
}
