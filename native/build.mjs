// Builds the native addon and the ctest suite through cmake-js. A build without changes takes a second or two.
// Options: --debug, --clean, any -DNAME=VALUE, which is handed to CMake, and --target TARGET: the addon for another
// system (native/targets.mjs), by a cross compiler and without cmake-js, which only knows its own system.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { generatorArguments, llamaDefinition, presentGenerator } from './cmake-arguments.mjs';
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
  if (isCross && options.debug) definitions.push('-DCMAKE_BUILD_TYPE=Debug');
  if (process.env.INKLING_LLAMA_DIR) definitions.push(llamaDefinition(process.env));
  if (options.clean) {
    for (const folder of [folders.build, folders.modules])
      rmSync(path.join(root, folder), { recursive: true, force: true });
  }
  // CMake re-runs itself when a CMakeLists.txt changes; a configure step of our own is only needed when there is no
  // build tree yet or when the definitions differ from last time.
  const stampFile = path.join(out, 'inkling-configure.json');
  const { debug } = options;
  const stamp = JSON.stringify({ definitions, node: process.version, ...(debug ? { debug } : {}) });
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
  // It would choose Ninja once that is installed. On Windows it always finds Visual Studio, whose platform belongs to it.
  const present = process.platform === 'win32' ? null : presentGenerator(out);
  const generator = present === null ? [] : ['--generator', present];
  // Behind `--`, since its own option for definitions leaves out empty ones.
  const own = ['--', llamaDefinition(process.env), ...definitions];
  run(process.execPath, [cli, 'configure', '--out', out, ...mode, ...generator, ...own]);
}

function configureCross() {
  run('cmake', ['-S', root, '-B', out, ...generatorArguments(out), llamaDefinition(process.env), ...definitions]);
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
