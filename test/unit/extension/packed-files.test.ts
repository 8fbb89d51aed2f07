import { expect, test } from 'vitest';
import { checkPackedFiles } from '../../../extension/packed-files.mjs';
import { WASM_FILES } from '../../../server/grammars.mjs';

/** As a package of 24 November 2026 held them. */
const FILES = [
  ...['package.json', 'package.nls.json', 'package.nls.de.json', 'README.md', 'CHANGELOG.md', 'LICENSE'],
  ...['extension/l10n/bundle.l10n.json', 'extension/l10n/bundle.l10n.de.json'],
  ...['extension', 'server', 'template-worker', 'undici', 'chat-webview', 'memory-webview'].map(
    (name) => `dist/${name}.js`,
  ),
  ...WASM_FILES.map((file) => file.replace(/^.*\//, 'dist/grammars/')),
  ...['media/chat.css', 'media/memory.css', 'media/icon.png', 'media/inkling.svg', 'media/inkling.woff'],
  ...['MODEL_CARD.md', 'TRAINING_DATA.tsv', 'inkling-starter-55m-Q4_K_M.gguf'].map((name) => `media/model/${name}`),
  'media/screenshots/chat-dark.webp',
];

test('a package with what it needs is packed', () => {
  expect(() => checkPackedFiles(FILES)).not.toThrow();
});

test.each(['dist/server.js', 'media/icon.png', 'dist/grammars/tree-sitter-go.wasm'])(
  'nothing is packed without %s',
  (file) => {
    expect(() => checkPackedFiles(FILES.filter((each) => each !== file))).toThrow(`would lack ${file}`);
  },
);

test.each(['dist/old.js', 'dist/grammars/tree-sitter-old.wasm', 'media/model/other.gguf', 'media/old.css'])(
  'nothing is packed with %s',
  (file) => {
    expect(() => checkPackedFiles([...FILES, file])).toThrow(`would hold ${file}`);
  },
);
