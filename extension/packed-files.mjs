// What a package must hold, and what it may hold besides.
import path from 'node:path';
import { WASM_FILES } from '../server/grammars.mjs';

/** Without one of these files the package installs, but does not work. */
const REQUIRED = [
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
  'media/icon.png',
  'media/inkling.svg',
  'media/inkling.woff',
  ...WASM_FILES.map((file) => `dist/grammars/${path.basename(file)}`),
  'media/model/MODEL_CARD.md',
  'media/model/TRAINING_DATA.tsv',
  'media/model/inkling-starter-55m-Q4_K_M.gguf',
];

/** Pictures of the README and the walkthrough. A layout test looks for those that are named. */
const PICTURE = /^media\/screenshots\/[\w-]+\.webp$/;

/**
 * @param {readonly string[]} files that are to be packed, from the root, without native modules and notices
 * @throws Error that names what is missing, or what nobody knows: an earlier version may have left it in dist
 */
export function checkPackedFiles(files) {
  const missing = REQUIRED.filter((file) => !files.includes(file));
  if (missing.length > 0) throw new Error(`the package would lack ${missing.join(', ')}`);
  const unknown = files.filter((file) => !REQUIRED.includes(file) && !PICTURE.test(file));
  if (unknown.length > 0) {
    throw new Error(
      `the package would hold ${unknown.join(', ')}: delete it, or name it in extension/packed-files.mjs`,
    );
  }
}
