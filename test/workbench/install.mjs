// Installs a real VS Code workbench from npm: code-server (the VS Code server with its web workbench) and its Node.
// `node test/workbench/install.mjs [--oldest]` installs it ahead of the tests, once: about 2 minutes and 830 MB. Needs
// python3, make and a C++ compiler for code-server's native modules.
import { spawn } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { isMain } from '../support/is-main.mjs';
import { restoreProposedApiRule } from './proposed-api.mjs';

const root = path.resolve(import.meta.dirname, '../..');

/**
 * code-server 4.N has VS Code 1.N. The oldest is the last of the VS Code that `engines.vscode` in package.json names.
 * Raise a release's `recipe` when the steps below change what is installed for it.
 * @typedef {{ codeServer: string, node: string, recipe: number, ripgrep?: string }} Release
 * @type {Readonly<Record<'newest' | 'oldest', Release>>}
 */
export const RELEASES = {
  newest: { codeServer: '4.139.1', node: '24.21.0', recipe: 1 },
  oldest: { codeServer: '4.108.2', node: '22.23.3', recipe: 2, ripgrep: '1.18.0' },
};

/** Identifies an installation's content. */
const contentOf = ({ codeServer, node, recipe }) => `code-server ${codeServer}, node ${node}, recipe ${recipe}`;

const NPM_TIME_LIMIT_MS = 30 * 60_000;

/** A dependency of the oldest release that its manifests take from GitHub; the registry has the same one. */
const WATCHER = ['@vscode/watcher', '2.5.1-vscode'];

/**
 * Modules of the VS Code server that need their native part. Others, such as Kerberos, are optional. Each release has
 * some of them.
 */
const NATIVE_MODULES = [
  WATCHER[0],
  '@vscode/spdlog',
  '@vscode/native-watchdog',
  '@vscode/sqlite3',
  '@vscode/deviceid',
  '@vscode/fs-copyfile',
  // Terminals.
  'node-pty',
];

/** The folder of installations; `INKLING_WORKBENCH_CACHE` moves it. */
function cacheFolder() {
  return path.resolve(process.env.INKLING_WORKBENCH_CACHE || path.join(root, '.cache/workbench'));
}

function installationFolder({ codeServer }) {
  return path.join(cacheFolder(), `code-server-${codeServer}`);
}

/**
 * Programs of an installation.
 * @typedef {{ node: string, entry: string, isOldest: boolean }} Workbench `entry` is code-server's script, to be run by
 * `node`.
 */

/**
 * @param {Release} release
 * @returns {Workbench | undefined} undefined if there is none, or only one with other content.
 */
export function installedWorkbench(release) {
  const folder = installationFolder(release);
  return readStamp(folder) === contentOf(release) ? programs(release) : undefined;
}

/**
 * Returns the present installation, or makes one. It grows in its own folder and gets its final name when complete, so
 * that an interrupted run leaves nothing that looks complete.
 * @param {Release} release
 * @param {(line: string) => void} say receives progress
 * @returns {Promise<Workbench>}
 */
export async function installWorkbench(release, say) {
  const installed = installedWorkbench(release);
  if (installed !== undefined) return installed;

  mkdirSync(cacheFolder(), { recursive: true });
  removeInterruptedInstallations(say);
  const folder = mkdtempSync(path.join(cacheFolder(), 'installing-'));
  writeFileSync(path.join(folder, 'pid'), String(process.pid));
  const removeOnExit = () => rmSync(folder, { recursive: true, force: true });
  process.on('exit', removeOnExit);
  try {
    await fill(folder, release, say);
    writeFileSync(stampFile(folder), contentOf(release));
    const target = installationFolder(release);
    // Another run may have finished first; other content is replaced.
    if (readStamp(target) !== contentOf(release)) {
      rmSync(target, { recursive: true, force: true });
      renameSync(folder, target);
    }
    say(`workbench: installed in ${target}`);
    return programs(release);
  } finally {
    removeOnExit();
    process.off('exit', removeOnExit);
  }
}

async function fill(folder, { codeServer: version, node, ripgrep }, say) {
  writeFileSync(path.join(folder, 'package.json'), '{ "private": true }\n');
  const codeServer = path.join(folder, 'node_modules/code-server');
  const vscode = path.join(codeServer, 'lib/vscode');
  const steps = [
    [`Node ${node}`, folder, ['install', `node-linux-${process.arch}@${node}`]],
    [`code-server ${version}`, folder, ['install', '--ignore-scripts', `code-server@${version}`]],
    ['packages of the VS Code server', vscode, ['install', '--ignore-scripts', '--omit=dev']],
    ['native modules of the VS Code server', vscode, ['rebuild', ...NATIVE_MODULES]],
    [
      'packages of the built-in extensions',
      path.join(vscode, 'extensions'),
      ['install', '--ignore-scripts', '--omit=dev'],
    ],
  ];
  const started = Date.now();
  for (const [index, [what, cwd, args]] of steps.entries()) {
    if (cwd === vscode) takeFromRegistry(vscode);
    const seconds = Math.round((Date.now() - started) / 1000);
    say(`workbench: installing, step ${index + 1} of ${steps.length} after ${seconds} s: ${what}`);
    await npm(args, cwd, nodeFolder(folder));
  }
  if (ripgrep !== undefined) await addRipgrep(folder, vscode, ripgrep);
  restoreProposedApiRule(vscode);
  takeServerOptions(codeServer);
}

/** The package of the oldest release downloads the program that searches files from GitHub; a later one contains it. */
async function addRipgrep(folder, vscode, version) {
  const name = '@vscode/ripgrep-universal';
  await npm(['install', '--ignore-scripts', `${name}@${version}`], folder, nodeFolder(folder));
  const program = path.join(folder, 'node_modules', name, 'bin', `linux-${process.arch}`, 'rg');
  const target = path.join(vscode, 'node_modules/@vscode/ripgrep/bin/rg');
  mkdirSync(path.dirname(target), { recursive: true });
  copyFileSync(program, target);
}

/** Makes the oldest release take options of the VS Code server, from the environment: it knows no `--vscode-option`. */
function takeServerOptions(codeServer) {
  const file = path.join(codeServer, 'out/node/cli.js');
  const text = readFileSync(file, 'utf8');
  if (text.includes('"vscode-option"')) return;
  const exported = 'exports.toCodeArgs = toCodeArgs;';
  if (!text.includes(exported)) throw new Error(`${file} does not contain ${exported}`);
  const options = 'JSON.parse(process.env.CODE_SERVER_VSCODE_OPTIONS ?? "{}")';
  const withOptions = `exports.toCodeArgs = async (args) => ({ ...(await toCodeArgs(args)), ...${options} });`;
  writeFileSync(file, text.replace(exported, withOptions));
}

/** Only the npm registry has to be reachable. */
function takeFromRegistry(vscode) {
  const [name, registryVersion] = WATCHER;
  const files = ['package.json', 'npm-shrinkwrap.json', 'extensions/package.json'].map((each) =>
    path.join(vscode, each),
  );
  for (const file of files.filter((each) => existsSync(each))) {
    const manifest = JSON.parse(readFileSync(file, 'utf8'));
    const lists = [manifest, ...Object.values(manifest.packages ?? {})].flatMap(({ dependencies, devDependencies }) => [
      dependencies,
      devDependencies,
    ]);
    for (const list of lists) if (list?.[name] !== undefined) list[name] = registryVersion;
    delete manifest.packages?.[`node_modules/${name}`];
    writeFileSync(file, `${JSON.stringify(manifest, null, 2)}\n`);
  }
}

function programs(release) {
  const folder = installationFolder(release);
  return {
    node: path.join(nodeFolder(folder), 'bin/node'),
    entry: path.join(folder, 'node_modules/code-server/out/node/entry.js'),
    isOldest: release === RELEASES.oldest,
  };
}

function nodeFolder(folder) {
  return path.join(folder, `node_modules/node-linux-${process.arch}`);
}

function stampFile(folder) {
  return path.join(folder, 'installed');
}

function readStamp(folder) {
  const file = stampFile(folder);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

/** Removes the remains of killed runs; a run that is still working keeps its folder. */
function removeInterruptedInstallations(say) {
  for (const name of readdirSync(cacheFolder()).filter((each) => each.startsWith('installing-'))) {
    const folder = path.join(cacheFolder(), name);
    const pidFile = path.join(folder, 'pid');
    if (existsSync(pidFile) && existsSync(`/proc/${readFileSync(pidFile, 'utf8')}`)) continue;
    say(`workbench: removing the interrupted installation ${folder}`);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs npm under the installed Node once it exists, so that native modules are built for it. */
function npm(args, cwd, installedNode) {
  const env = Object.fromEntries(
    // Variables of `npm run` describe this project, not the folder to install in.
    Object.entries(process.env).filter(([name]) => !/^npm_(?!config_(registry|cache|userconfig|.*proxy)$)/i.test(name)),
  );
  env.PATH = [path.join(installedNode, 'bin'), process.env.PATH].join(path.delimiter);
  // The headers that node-gyp would otherwise download.
  env.npm_config_nodedir = installedNode;
  // Without it @vscode/watcher is not compiled, and the oldest editor sees no change of a file on disk.
  env.npm_config_build_from_source = 'true';
  // Their compilation takes most of the time of an installation, and their speed matters to no test.
  env.CFLAGS = '-O0';
  env.CXXFLAGS = '-O0';
  env.JOBS = 'max';
  const quiet = ['--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error', '--prefer-offline'];
  const title = `npm ${args.join(' ')}`;

  return new Promise((resolve, reject) => {
    const child = spawn('npm', [...args, ...quiet], { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const endAll = (signal) => {
      try {
        process.kill(-child.pid, signal);
      } catch (error) {
        if (error.code !== 'ESRCH') throw error;
      }
    };
    const endAllOnExit = () => endAll('SIGKILL');
    process.on('exit', endAllOnExit);
    const timer = setTimeout(() => {
      output += `\n${title} took longer than ${NPM_TIME_LIMIT_MS / 60_000} minutes`;
      endAll('SIGKILL');
    }, NPM_TIME_LIMIT_MS);
    const settle = (outcome) => {
      clearTimeout(timer);
      process.off('exit', endAllOnExit);
      outcome();
    };
    let output = '';
    const collect = (chunk) => {
      output = `${output}${chunk}`.slice(-8000);
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.on('error', (error) => settle(() => reject(new Error(`${title}: ${error.message}`))));
    child.on('close', (code) => {
      settle(() => (code === 0 ? resolve() : reject(new Error(`${title} failed:\n${output.trim()}`))));
    });
  });
}

if (isMain(import.meta.url)) {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(1));
  try {
    const { oldest } = parseArgs({ options: { oldest: { type: 'boolean', default: false } } }).values;
    await installWorkbench(oldest ? RELEASES.oldest : RELEASES.newest, console.log);
  } catch (error) {
    console.error(`workbench: ${error.message}`);
    process.exitCode = 1;
  }
}
