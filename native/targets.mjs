// What Inkling is packaged for, and how this machine builds the native modules of another target.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');

/** VS Code's names of platforms, which are Node's. */
export const TARGETS = ['linux-x64', 'linux-arm64', 'darwin-arm64', 'darwin-x64', 'win32-x64'];

export const HOST = `${process.platform}-${process.arch}`;

/** CMake's definitions for targets other than the building machine's, by the systems that can build them. */
const CROSS = {
  'linux-arm64': { linux: ['-DCMAKE_TOOLCHAIN_FILE=native/cmake/aarch64-linux-gnu.cmake'] },
  'win32-x64': {
    linux: [
      '-DCMAKE_TOOLCHAIN_FILE=native/cmake/x86_64-w64-mingw32.cmake',
      `-DINKLING_NODE_API_DEF=${inRoot('node_modules/node-api-headers/def/node_api.def')}`,
    ],
  },
  'darwin-arm64': { darwin: macOs('arm64') },
  'darwin-x64': { darwin: macOs('x86_64') },
};

/** The name of the system too, so that CMake believes that the processor is another one. */
function macOs(processor) {
  return [
    '-DCMAKE_SYSTEM_NAME=Darwin',
    `-DCMAKE_SYSTEM_PROCESSOR=${processor}`,
    `-DCMAKE_OSX_ARCHITECTURES=${processor}`,
  ];
}

/**
 * CMake's definitions for a target other than this machine's.
 *
 * @param {string} target of TARGETS
 * @param {string} [platform] the building machine's, as Node names it
 * @returns {readonly string[]}
 * @throws Error where this machine has no way to build it
 */
export function crossDefinitions(target, platform = process.platform) {
  const definitions = CROSS[target]?.[platform];
  if (definitions === undefined) throw new Error(`${platform} cannot build for ${target}; see PUBLISHING.md`);
  const headers = ['node_modules/node-api-headers/include', 'node_modules/node-addon-api'].map(inRoot);
  return [
    ...definitions,
    '-DCMAKE_BUILD_TYPE=Release',
    `-DCMAKE_JS_INC=${headers.join(';')}`,
    `-DINKLING_NATIVE_OUT=${inRoot(targetFolders(target).modules)}`,
  ];
}

/**
 * Where a target is built, and where its native modules lie, from the root. Other targets never touch the modules that
 * this machine runs.
 *
 * @param {string} target of TARGETS
 */
export function targetFolders(target) {
  if (target === HOST) return { build: 'build', modules: 'dist/native' };
  return { build: `build/${target}`, modules: `build/${target}/modules` };
}

/**
 * The addon's files, from the root: one module, or one for each instruction set with the probe that chooses. Only the
 * build knows which, since compiler and GPU decide; it writes the list when it is configured.
 *
 * @param {string} target of TARGETS
 * @returns {readonly string[]}
 */
export function nativeModules(target) {
  const { build, modules } = targetFolders(target);
  const list = inRoot(`${build}/node-modules.txt`);
  if (!existsSync(list)) throw new Error(`there are no native modules for ${target}: npm run build:native`);
  return readFileSync(list, 'utf8')
    .trim()
    .split('\n')
    .map((name) => `${modules}/${name}`);
}

function inRoot(file) {
  // CMake wants no backslashes.
  return path.join(root, file).replaceAll('\\', '/');
}
