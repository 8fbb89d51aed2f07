// Builds the native addon and the ctest suite through cmake-js. A build without changes takes a second or two.
// Options: --debug, --clean, any -DNAME=VALUE, which is handed to CMake, and --target TARGET: the addon for another
// system (native/targets.mjs), by a cross compiler and without cmake-js, which only knows its own system.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { crossDefinitions, HOST, TARGETS, targetFolders } from './targets.mjs';

const root = path.resolve(import.meta.dirname, '..');
const args = process.argv.slice(2);
const definitions = args.filter((arg) => arg.startsWith('-D'));
const { values: options } = parseArgs({
  args: args.filter((arg) => !arg.startsWith('-D')),
  options: {
    clean: { type: 'boolean', default: false },
    debug: { type: 'boolean', default: false },
    target: { type: 'string', default: HOST },
  },
});
const { target } = options;
const isCross = target !== HOST;
const folders = targetFolders(target);
const out = path.join(root, folders.build);
const parallel = String(os.availableParallelism());

function main() {
  if (isCross && !TARGETS.includes(target)) throw new Error(`there is no target ${target}, only ${TARGETS.join(', ')}`);
  if (isCross) definitions.unshift('-DINKLING_BUILD_TESTS=OFF', ...crossDefinitions(target));
  if (process.env.INKLING_LLAMA_DIR) definitions.push(`-DINKLING_LLAMA_DIR=${process.env.INKLING_LLAMA_DIR}`);
  if (options.clean) {
    for (const folder of [folders.build, folders.modules])
      rmSync(path.join(root, folder), { recursive: true, force: true });
  }
  // CMake re-runs itself when a CMakeLists.txt changes; a configure step of our own is only needed when there is no
  // build tree yet or when the definitions differ from last time.
  const stampFile = path.join(out, 'inkling-configure.json');
  const stamp = JSON.stringify({ definitions, node: process.version });
  const configured =
    existsSync(path.join(out, 'CMakeCache.txt')) && existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp;
  if (!configured) {
    if (!existsSync(out)) console.log(`native: first build for ${target}; it takes three to six minutes on two cores`);
    if (isCross) configureCross();
    else configureHost();
    writeFileSync(stampFile, stamp);
  }
  run('cmake', ['--build', out, '--config', options.debug ? 'Debug' : 'Release', '--parallel', parallel]);
}

function configureHost() {
  const cli = path.join(root, 'node_modules', 'cmake-js', 'bin', 'cmake-js');
  const mode = options.debug ? ['--debug'] : [];
  const own = definitions.map((each) => `--CD${each.slice('-D'.length)}`);
  run(process.execPath, [cli, 'configure', '--out', out, ...mode, ...own]);
}

function configureCross() {
  // A folder that is there keeps the generator that it was made with.
  const isNew = !existsSync(path.join(out, 'CMakeCache.txt'));
  const hasNinja = spawnSync('ninja', ['--version'], { stdio: 'ignore' }).status === 0;
  run('cmake', ['-S', root, '-B', out, ...(isNew && hasNinja ? ['-G', 'Ninja'] : []), ...definitions]);
}

function run(command, commandArgs) {
  const result = spawnSync(command, commandArgs, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, CMAKE_BUILD_PARALLEL_LEVEL: parallel },
  });
  if (result.error) throw result.error;
  if (result.status !== 0) process.exit(result.status ?? 1);
}

try {
  main();
} catch (error) {
  console.error(`native: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
