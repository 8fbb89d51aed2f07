// Builds the native addon and the ctest suite through cmake-js. A build without changes takes a second or two.
// Options: --debug, --clean, and any -DNAME=VALUE, which is handed to CMake.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const out = path.join(root, 'build');
const args = process.argv.slice(2);
const definitions = args.filter((arg) => arg.startsWith('-D')).map((arg) => `--CD${arg.slice(2)}`);
if (process.env.INKLING_LLAMA_DIR) definitions.push(`--CDINKLING_LLAMA_DIR=${process.env.INKLING_LLAMA_DIR}`);

if (args.includes('--clean')) {
  rmSync(out, { recursive: true, force: true });
  rmSync(path.join(root, 'dist', 'native'), { recursive: true, force: true });
}

// CMake re-runs itself when a CMakeLists.txt changes; a configure step of our own is only needed when there is no
// build tree yet or when the definitions differ from last time.
const stampFile = path.join(out, 'inkling-configure.json');
const stamp = JSON.stringify({ definitions, node: process.version });
const configured =
  existsSync(path.join(out, 'CMakeCache.txt')) && existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp;

function cmakeJs(command, extra) {
  const cli = path.join(root, 'node_modules', 'cmake-js', 'bin', 'cmake-js');
  const mode = args.includes('--debug') ? ['--debug'] : [];
  const result = spawnSync(process.execPath, [cli, command, '--out', out, ...mode, ...extra], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, CMAKE_BUILD_PARALLEL_LEVEL: String(os.availableParallelism()) },
  });
  if (result.status !== 0) process.exit(result.status ?? 1);
}

if (!configured) {
  if (!existsSync(out))
    console.log('native: first build; llama.cpp and the addon take two to four minutes on two cores');
  cmakeJs('configure', definitions);
  writeFileSync(stampFile, stamp);
}
const build = spawnSync(
  'cmake',
  [
    '--build',
    out,
    '--config',
    args.includes('--debug') ? 'Debug' : 'Release',
    '--parallel',
    String(os.availableParallelism()),
  ],
  { cwd: root, stdio: 'inherit' },
);
process.exit(build.status ?? 1);
