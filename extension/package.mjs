// Packs inkling-<platform>.vsix for this machine: `npm run package [-- FILE]`.
import { spawnSync } from 'node:child_process';
import { rmSync, statSync } from 'node:fs';
import path from 'node:path';
import { createVSIX, listFiles, PackageManager } from '@vscode/vsce';
import { WASM_FILES } from '../server/grammars.mjs';
import { ensureBuilt } from '../test/support/ensure-built.mjs';
import { nativeModules } from './native-modules.mjs';
import { NOTICES_FILE, writeNotices } from './notices.mjs';

const root = path.resolve(import.meta.dirname, '..');
// VS Code's targets have Node's names.
const target = `${process.platform}-${process.arch}`;
const vsix = path.resolve(process.argv[2] ?? path.join(root, `inkling-${target}.vsix`));

/** Without one of these files the package installs, but does not work. */
const required = [
  'package.json',
  'package.nls.json',
  'package.nls.de.json',
  'extension/l10n/bundle.l10n.json',
  'extension/l10n/bundle.l10n.de.json',
  'README.md',
  'CHANGELOG.md',
  'LICENSE',
  'dist/extension.js',
  'dist/server.js',
  'dist/template-worker.js',
  'dist/undici.js',
  'dist/chat-webview.js',
  'dist/memory-webview.js',
  'media/chat.css',
  'media/memory.css',
  'media/inkling.svg',
  'media/inkling.woff',
  ...WASM_FILES.map((file) => `dist/grammars/${path.basename(file)}`),
  NOTICES_FILE,
  'media/model/MODEL_CARD.md',
  'media/model/TRAINING_DATA.tsv',
  'media/model/inkling-starter-55m-Q4_K_M.gguf',
];

async function main() {
  ensureBuilt();
  const bundled = spawnSync(process.execPath, ['esbuild.mjs', '--minify'], { cwd: root, stdio: 'inherit' });
  if (bundled.status !== 0) throw new Error('the bundles could not be built');
  rmSync(path.join(root, NOTICES_FILE), { force: true });
  await writeNotices();

  const listing = await listFiles({ cwd: root, packageManager: PackageManager.None });
  const modules = nativeModules();
  const missing = [...required, ...modules].filter((file) => !listing.includes(file));
  if (missing.length > 0) throw new Error(`the package would lack ${missing.join(', ')}`);
  const stale = listing.filter((file) => file.startsWith('dist/native/') && !modules.includes(file));
  if (stale.length > 0) throw new Error(`the build no longer makes ${stale.join(', ')}: delete them`);

  await createVSIX({
    cwd: root,
    target,
    packagePath: vsix,
    dependencies: false,
    // There is no public repository yet for links in the README.
    rewriteRelativeLinks: false,
    allowMissingRepository: true,
  });
  const mebibytes = (statSync(vsix).size / 1024 ** 2).toFixed(1);
  console.log(`${path.relative(process.cwd(), vsix)}: ${listing.length} files, ${mebibytes} MiB`);
}

try {
  await main();
} catch (error) {
  console.error(`package: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
