// Lists the tree-sitter grammars of the server, and copies them beside its bundle.
import { copyFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');

/** WebAssembly in npm packages, whose versions package.json pins, and the code that runs it. */
export const WASM_FILES = [
  'web-tree-sitter/web-tree-sitter.cjs',
  'web-tree-sitter/web-tree-sitter.wasm',
  'tree-sitter-bash/tree-sitter-bash.wasm',
  'tree-sitter-c/tree-sitter-c.wasm',
  'tree-sitter-c-sharp/tree-sitter-c_sharp.wasm',
  'tree-sitter-cpp/tree-sitter-cpp.wasm',
  'tree-sitter-css/tree-sitter-css.wasm',
  'tree-sitter-go/tree-sitter-go.wasm',
  'tree-sitter-html/tree-sitter-html.wasm',
  'tree-sitter-java/tree-sitter-java.wasm',
  'tree-sitter-javascript/tree-sitter-javascript.wasm',
  'tree-sitter-json/tree-sitter-json.wasm',
  'tree-sitter-php/tree-sitter-php.wasm',
  'tree-sitter-python/tree-sitter-python.wasm',
  'tree-sitter-ruby/tree-sitter-ruby.wasm',
  'tree-sitter-rust/tree-sitter-rust.wasm',
  'tree-sitter-typescript/tree-sitter-tsx.wasm',
  'tree-sitter-typescript/tree-sitter-typescript.wasm',
];

export const LICENCES_FILE = 'LICENSES.txt';

/** Copies missing or changed files, and the licences that they require. */
export function copyGrammars(target) {
  mkdirSync(target, { recursive: true });
  for (const file of WASM_FILES) {
    const source = path.join(root, 'node_modules', file);
    const copy = path.join(target, path.basename(file));
    if (!existsSync(copy) || statSync(copy).size !== statSync(source).size) copyFileSync(source, copy);
  }
  writeFileSync(path.join(target, LICENCES_FILE), licences());
}

function licences() {
  const packages = [...new Set(WASM_FILES.map((file) => path.dirname(file)))];
  const sections = packages.map((name) => {
    const folder = path.join(root, 'node_modules', name);
    const { version, license } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
    const text = readFileSync(path.join(folder, 'LICENSE'), 'utf8').trim();
    return `${name} ${version} (${license})\n\n${text}\n`;
  });
  return `The files in this folder are copies from these npm packages.\n\n${sections.join(`\n${'-'.repeat(80)}\n\n`)}`;
}
