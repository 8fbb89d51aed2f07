// Checks our C++ against .clang-format, or rewrites it: `node test/support/clang-format.mjs [--write]`. Ends with exit
// code 77 where it cannot run.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { getNativeBinary } from 'clang-format';

const SKIPPED = 77;

const root = path.resolve(import.meta.dirname, '../..');
const { write } = parseArgs({ options: { write: { type: 'boolean', default: false } } }).values;
const folders = ['native', 'test/native'];

const files = folders.flatMap((folder) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(cpp|h)$/.test(name))
    .map((name) => path.join(folder, name)),
);
const program = findProgram();
if (program === null) {
  console.error(
    `clang-format: SKIPPED: its npm package has no program that runs on ${process.arch} ${process.platform}`,
  );
  process.exit(SKIPPED);
}
const mode = write ? ['-i'] : ['--dry-run', '--Werror'];
const result = spawnSync(program, [...mode, ...files], { cwd: root, stdio: 'inherit' });
if (result.status !== 0) {
  if (!write) console.error('C++ files differ from .clang-format: `npm run format` rewrites them.');
  process.exit(1);
}
console.log(`clang-format: ${files.length} files ${write ? 'formatted' : 'checked'}`);

/** Null where the package has none, such as on arm64 Linux, or one for Intel that a Mac without Rosetta cannot start. */
function findProgram() {
  try {
    const found = getNativeBinary();
    return spawnSync(found, ['--version']).error === undefined ? found : null;
  } catch {
    return null;
  }
}
