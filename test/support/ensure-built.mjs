// Makes a checkout runnable: npm packages, the native addon, the bundles. Each step runs only if its inputs have
// changed. It needs no package, so it can run right after `git clone`. It writes to standard error only: the commands
// that follow own standard output.
import './require-node.mjs';
import { spawnSync } from 'node:child_process';
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { withBuildLock } from './build-lock.mjs';
import { isMain } from './is-main.mjs';

const root = path.resolve(import.meta.dirname, '../..');

/**
 * The inputs of each step, and the file whose time says when the step last ran. `list` is a file in which the step names
 * more inputs, one a line.
 */
const steps = [
  {
    name: 'npm packages',
    sources: ['package-lock.json'],
    stamp: 'node_modules/.package-lock.json',
    run: () => {
      npm('ci');
      npm('rebuild', '--ignore-scripts=false', ...allowedInstallScripts());
    },
  },
  {
    name: 'native addon',
    sources: ['CMakeLists.txt', 'native', 'test/native/cpp'],
    stamp: 'build/built.stamp',
    // Without its product the stamp does not count.
    isMissing: () => !isFolderWith('dist/native', '.node'),
    run: () => {
      requireToolchain();
      execute(process.execPath, ['native/build.mjs']);
    },
  },
  {
    name: 'bundles',
    // A new driver in test/workbench is a bundle of its own.
    sources: ['esbuild.mjs', 'package-lock.json', 'server/grammars.mjs', 'test/workbench'],
    // What the bundles were made from.
    list: 'dist/bundles.inputs',
    stamp: 'dist/bundles.stamp',
    isMissing: () => !existsSync(path.join(root, 'dist/server.js')) || !isFolderWith('dist/grammars', '.wasm'),
    run: () => execute(process.execPath, ['esbuild.mjs']),
  },
  {
    // The remote engine of tests. Built only by name, since it takes minutes and few tests need it.
    name: 'llama-server',
    onlyNamed: true,
    sources: ['CMakeLists.txt', 'native/cmake', 'native/kernels', 'native/patches', 'native/fetch-llama.mjs'],
    stamp: 'build/llama-server.stamp',
    isMissing: () => !existsSync(path.join(root, 'build/bin/llama-server')),
    run: () => {
      ensureBuilt(['npm packages', 'native addon']);
      execute('cmake', ['-B', 'build', '-DINKLING_LLAMA_SERVER=ON']);
      const parallel = String(availableParallelism());
      execute('cmake', ['--build', 'build', '--config', 'Release', '--parallel', parallel, '--target', 'llama-server']);
    },
  },
];

/**
 * Runs the outdated steps, or only the named ones.
 *
 * @param {readonly string[]} [names] of the steps above
 * @throws Error that names the first failed step, or a step that there is not
 */
export function ensureBuilt(names) {
  const unknown = names?.filter((each) => !steps.some(({ name }) => name === each)) ?? [];
  if (unknown.length > 0) {
    const known = steps.map(({ name }) => name).join(', ');
    throw new Error(`there is no step ${unknown.join(', ')}; the steps are ${known}`);
  }
  const started = Date.now();
  let made = 0;
  for (const step of steps.filter(({ name, onlyNamed = false }) => names?.includes(name) ?? !onlyNamed)) {
    if (!isOutOfDate(step)) continue;
    try {
      requireOwnFolder();
      if (withBuildLock(path.join(root, '.cache/building'), say, () => make(step))) made += 1;
    } catch (error) {
      throw new Error(`${step.name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  if (made > 0) say(`all built in ${seconds(started)}`);
}

/** @returns whether it had to: the process that held the lock may have made it */
function make(step) {
  const started = Date.now();
  if (!isOutOfDate(step)) return false;
  say(`${step.name}: building`);
  step.run();
  stampAt(step.stamp, started);
  say(`${step.name}: done in ${seconds(started)}`);
  return true;
}

function isOutOfDate({ sources, list, stamp, isMissing }) {
  const stampTime = statSync(path.join(root, stamp), { throwIfNoEntry: false })?.mtimeMs;
  if (stampTime === undefined || isMissing?.()) return true;
  const listed = list === undefined ? [] : listedFiles(list);
  return listed === null || [...sources, ...listed].some((source) => newestTime(path.join(root, source)) > stampTime);
}

/** Null where the step has not left its list. */
function listedFiles(list) {
  const file = path.join(root, list);
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : null;
}

/** Milliseconds since the epoch. A folder's own time counts too, since it changes when a file is added or removed. */
function newestTime(file) {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return 0;
  if (!stats.isDirectory()) return stats.mtimeMs;
  return Math.max(stats.mtimeMs, ...readdirSync(file).map((name) => newestTime(path.join(file, name))));
}

/** The time of the step's start, so that a source saved during the step makes it run again. */
function stampAt(stamp, time) {
  const file = path.join(root, stamp);
  mkdirSync(path.dirname(file), { recursive: true });
  closeSync(openSync(file, 'a'));
  utimesSync(file, time / 1000, time / 1000);
}

/**
 * The packages whose install scripts run: `allowScripts` in package.json. `.npmrc` turns all scripts off, since npm 11
 * would run those of other packages too: grammars would compile what nobody loads.
 */
function allowedInstallScripts() {
  const { allowScripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  return Object.keys(allowScripts).filter((name) => allowScripts[name]);
}

/** CMake would only say that a folder is missing. */
function requireOwnFolder() {
  try {
    accessSync(root, constants.W_OK);
  } catch {
    throw new Error(`this user cannot write to ${root}; build in a clone of your own`);
  }
}

function requireToolchain() {
  const needed = [
    ['cmake', ['cmake']],
    ['git', ['git']],
    // cmake-js looks for Visual Studio by itself, whose compiler is on no PATH.
    ...(process.platform === 'win32'
      ? []
      : [
          ['a C++20 compiler', [process.env.CXX || 'c++', 'g++', 'clang++']],
          ['make or ninja', ['ninja', 'make']],
        ]),
  ];
  const missing = needed.filter(([, commands]) => !commands.some(canRun)).map(([what]) => what);
  if (missing.length === 0) return;
  throw new Error(
    `this machine lacks ${missing.join(', ')}. ` +
      'Debian and Ubuntu: apt-get install cmake g++ make git. macOS: xcode-select --install, and CMake. ' +
      'Windows: Visual Studio with C++, CMake and git.',
  );
}

/** A Mac without the developer tools has programs in their place, which only say so. */
function canRun(command) {
  return spawnSync(command, ['--version'], { stdio: 'ignore' }).status === 0;
}

function isFolderWith(folder, extension) {
  const absolute = path.join(root, folder);
  return existsSync(absolute) && readdirSync(absolute).some((name) => name.endsWith(extension));
}

function npm(...args) {
  // Under `npm run` npm sets its own path, as other package managers do theirs; otherwise it is on PATH.
  const cli = process.env.npm_execpath ?? '';
  if (path.basename(cli) === 'npm-cli.js') execute(process.execPath, [cli, ...args]);
  // There it is a script, which needs a shell. Node warns of arguments beside a shell; none of these has blanks.
  else if (process.platform === 'win32') execute(['npm', ...args].join(' '), [], { shell: true });
  else execute('npm', args);
}

function execute(command, args, options = {}) {
  const result = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2], ...options });
  if (result.error) throw result.error;
  if (result.status !== 0) {
    const end = result.signal ? `was ended by ${result.signal}` : `ended with exit code ${result.status}`;
    throw new Error(`\`${[path.basename(command), ...args].join(' ')}\` ${end}`);
  }
}

function say(line) {
  process.stderr.write(`inkling: ${line}\n`);
}

function seconds(since) {
  return `${((Date.now() - since) / 1000).toFixed(1)} s`;
}

if (isMain(import.meta.url)) {
  try {
    const names = process.argv.slice(2);
    ensureBuilt(names.length > 0 ? names : undefined);
  } catch (error) {
    say(error.message);
    process.exitCode = 1;
  }
}
