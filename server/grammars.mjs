// Lists the tree-sitter grammars of the server, and copies them beside its bundle.
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs';
import path from 'node:path';
import { threadId } from 'node:worker_threads';

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

/** Copies missing or changed files; other processes may do the same. extension/notices.mjs has their licences. */
export function copyGrammars(target) {
  mkdirSync(target, { recursive: true });
  for (const file of WASM_FILES) {
    const source = path.join(root, 'node_modules', file);
    const copy = path.join(target, path.basename(file));
    if (existsSync(copy) && readFileSync(copy).equals(readFileSync(source))) continue;
    const whole = `${copy}.${process.pid}-${threadId}`;
    copyFileSync(source, whole);
    renameSync(whole, copy);
  }
}
