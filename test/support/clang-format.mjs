// Checks our C++ against .clang-format, or rewrites it: `node test/support/clang-format.mjs [--write]`.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');
const write = process.argv.includes('--write');
const folders = ['native', 'test/native'];

const files = folders.flatMap((folder) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(cpp|h)$/.test(name))
    .map((name) => path.join(folder, name)),
);
if (files.length > 0) {
  // The package's own launcher (rather than .bin) works on every platform that it has a binary for.
  const launcher = path.join(root, 'node_modules/clang-format/index.js');
  const mode = write ? ['-i'] : ['--dry-run', '--Werror'];
  const result = spawnSync(process.execPath, [launcher, ...mode, ...files], { cwd: root, stdio: 'inherit' });
  if (result.status !== 0) {
    if (!write)
      console.error('C++ files differ from .clang-format, or it could not run: `npm run format` rewrites them.');
    process.exit(1);
  }
  console.log(`clang-format: ${files.length} files ${write ? 'formatted' : 'checked'}`);
}
