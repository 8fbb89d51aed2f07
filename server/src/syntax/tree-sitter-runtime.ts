import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { compileFunction } from 'node:vm';

export type TreeSitter = typeof import('web-tree-sitter');

/**
 * Nothing is left to the garbage collector: we free trees and parsers ourselves, and what belongs to a runtime that
 * failed must never be freed.
 */
class NoFinalization {
  register(): null {
    return null;
  }

  unregister(): null {
    return null;
  }
}

/**
 * A tree-sitter runtime with a WebAssembly memory of its own. The package has one runtime for each time that its code
 * runs, so every call runs the code again.
 *
 * @param directory contains `web-tree-sitter.cjs` and `web-tree-sitter.wasm`
 */
export async function newTreeSitter(directory: string): Promise<TreeSitter> {
  // V8 then never compiles a hot grammar a second time, which takes several megabytes. A first parse is faster, and a
  // key costs 0.3 ms of parsing instead of 0.2 ms in 140 kB. A V8 that does not know the flag ignores it.
  setFlagsFromString('--liftoff-only');
  const file = path.join(directory, 'web-tree-sitter.cjs');
  const [code, wasmBinary] = await Promise.all([
    readFile(file, 'utf8'),
    readFile(path.join(directory, 'web-tree-sitter.wasm')),
  ]);
  const names = ['exports', 'module', 'require', '__filename', '__dirname', 'FinalizationRegistry'];
  const module = { exports: {} };
  const run = compileFunction(code, names, { filename: file });
  run(module.exports, module, createRequire(file), file, directory, NoFinalization);
  const runtime = module.exports as TreeSitter;
  await runtime.Parser.init({ wasmBinary });
  return runtime;
}
