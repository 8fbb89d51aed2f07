// Packs inkling-<target>.vsix: `npm run package [-- [--target TARGET] [--max-glibc VERSION] [FILE]]`. Without a target it
// is this machine's. The package is put together in a folder of its own, since it holds the native modules of its target
// and the folder dist holds this machine's.
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createVSIX, listFiles, PackageManager } from '@vscode/vsce';
import { HOST, nativeModules } from '../native/targets.mjs';
import { ensureBuilt } from '../test/support/ensure-built.mjs';
import { neededGlibc, refusal } from './native-binary.mjs';
import { NOTICES_FILE, packageNotices } from './notices.mjs';
import { packageArguments } from './package-arguments.mjs';
import { packageReadme } from './package-readme.mjs';
import { checkPackedFiles } from './packed-files.mjs';
import { isPrerelease } from './release.mjs';

const root = path.resolve(import.meta.dirname, '..');
const NATIVE_FOLDER = 'dist/native/';
const README_FILE = 'README.md';
/** Users download it with every update. */
const MOST_BYTES = 60_000_000;

async function main() {
  const { target, newestGlibc, file } = packageArguments(process.argv.slice(2));
  const vsix = path.resolve(file ?? path.join(root, `inkling-${target}.vsix`));

  build(target);
  const modules = nativeModules(target);
  checkModules(modules, target, newestGlibc);
  const folder = path.join(root, 'build/package', target);
  const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const files = await gather(folder, modules, target);
  await createVSIX({
    cwd: folder,
    target,
    packagePath: vsix,
    dependencies: false,
    preRelease: isPrerelease(version),
    // There is no public repository yet for links in the README.
    rewriteRelativeLinks: false,
    allowMissingRepository: true,
  });
  rmSync(folder, { recursive: true });
  const { size } = statSync(vsix);
  const megabytes = (size / 1e6).toFixed(1);
  if (size > MOST_BYTES) throw new Error(`${vsix} has ${megabytes} MB, more than ${MOST_BYTES / 1e6} MB`);
  console.log(`${path.relative(process.cwd(), vsix)}: ${files} files, ${megabytes} MB`);
}

function build(target) {
  // The modules of this machine are needed for its own package only.
  ensureBuilt(target === HOST ? undefined : ['npm packages', 'bundles']);
  if (target !== HOST) run('native/build.mjs', '--target', target);
  run('esbuild.mjs', '--minify');
}

function checkModules(modules, target, newestGlibc) {
  for (const module of modules) {
    const bytes = readFileSync(path.join(root, module));
    const reason = refusal(bytes, target, newestGlibc);
    if (reason !== null) throw new Error(`${module} ${reason}`);
    const glibc = target.startsWith('linux-') ? `, glibc ${neededGlibc(bytes) ?? 'none'}` : '';
    console.log(`${path.basename(module)}: ${(bytes.length / 1e6).toFixed(1)} MB${glibc}`);
  }
}

/** Copies into `folder` what the package holds. @returns the number of files */
async function gather(folder, modules, target) {
  const listing = await filesToPack();
  const common = listing.filter((file) => !file.startsWith(NATIVE_FOLDER) && file !== NOTICES_FILE);
  checkPackedFiles(common);
  const copies = [
    ...common.map((file) => [file, file]),
    ...modules.map((module) => [module, NATIVE_FOLDER + path.basename(module)]),
  ];
  rmSync(folder, { recursive: true, force: true });
  for (const [from, to] of copies) {
    const copy = path.join(folder, to);
    mkdirSync(path.dirname(copy), { recursive: true });
    copyFileSync(path.join(root, from), copy);
  }
  writeFileSync(path.join(folder, NOTICES_FILE), await packageNotices(target, modules));
  writeFileSync(path.join(folder, README_FILE), packageReadme(readFileSync(path.join(root, README_FILE), 'utf8')));
  const packed = await listFiles({ cwd: folder, packageManager: PackageManager.None });
  // Whatever `files` of package.json leaves out or adds would go unnoticed otherwise.
  if (packed.length !== copies.length + 1)
    throw new Error(`${packed.length} files, not ${copies.length + 1}, are packed`);
  return packed.length;
}

/**
 * What `files` of package.json names, from the root. vsce compares every file below a folder with every pattern, which
 * took 18 s here with the caches and builds beside the sources. So it sees the folders that a pattern can name.
 */
async function filesToPack() {
  const { files } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const folders = new Set(files.filter((pattern) => pattern.includes('/')).map((pattern) => pattern.split('/')[0]));
  const seen = mkdtempSync(path.join(os.tmpdir(), 'inkling-package-'));
  try {
    for (const entry of readdirSync(root, { withFileTypes: true })) {
      const [from, to] = [path.join(root, entry.name), path.join(seen, entry.name)];
      if (entry.isFile()) copyFileSync(from, to);
      else if (folders.has(entry.name)) symlinkSync(from, to, 'junction');
    }
    return await listFiles({ cwd: seen, packageManager: PackageManager.None, followSymlinks: true });
  } finally {
    rmSync(seen, { recursive: true });
  }
}

function run(script, ...args) {
  const { status } = spawnSync(process.execPath, [script, ...args], { cwd: root, stdio: 'inherit' });
  if (status !== 0) throw new Error(`${script} failed`);
}

try {
  await main();
} catch (error) {
  console.error(`package: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
