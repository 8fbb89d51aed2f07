// Installs a real VS Code workbench from npm: code-server (the VS Code server with its web workbench) and its Node.
// `node test/workbench/install.mjs` installs it ahead of the tests, once: about 2 minutes and 830 MB. Needs python3,
// make and a C++ compiler for code-server's native modules.
import { spawn } from 'node:child_process';
import {
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
import { pathToFileURL } from 'node:url';
import { restoreProposedApiRule } from './proposed-api.mjs';

const root = path.resolve(import.meta.dirname, '../..');

const CODE_SERVER = '4.139.1';
const NODE = '24.21.0';
/** Identifies an installation's content: raise the last number when the steps below change. */
const CONTENT = `code-server ${CODE_SERVER}, node ${NODE}, recipe 1`;
const NPM_TIME_LIMIT_MS = 30 * 60_000;

/** Modules of the VS Code server that need their native part. Others, such as Kerberos, are optional. */
const NATIVE_MODULES = [
  '@vscode/spdlog',
  '@vscode/native-watchdog',
  '@vscode/sqlite3',
  '@vscode/deviceid',
  '@vscode/fs-copyfile',
];

/** The folder of installations; `INKLING_WORKBENCH_CACHE` moves it. */
function cacheFolder() {
  return path.resolve(process.env.INKLING_WORKBENCH_CACHE || path.join(root, '.cache/workbench'));
}

function installationFolder() {
  return path.join(cacheFolder(), `code-server-${CODE_SERVER}`);
}

/**
 * Programs of an installation.
 * @typedef {{ node: string, entry: string }} Workbench `entry` is code-server's script, to be run by `node`.
 */

/** @returns {Workbench | undefined} undefined if there is none, or only one with other content. */
export function installedWorkbench() {
  const folder = installationFolder();
  return readStamp(folder) === CONTENT ? programs(folder) : undefined;
}

/**
 * Returns the present installation, or makes one. It grows in its own folder and gets its final name when complete, so
 * that an interrupted run leaves nothing that looks complete.
 * @param {(line: string) => void} say receives progress
 * @returns {Promise<Workbench>}
 */
export async function installWorkbench(say) {
  const installed = installedWorkbench();
  if (installed !== undefined) return installed;

  mkdirSync(cacheFolder(), { recursive: true });
  removeInterruptedInstallations(say);
  const folder = mkdtempSync(path.join(cacheFolder(), 'installing-'));
  writeFileSync(path.join(folder, 'pid'), String(process.pid));
  const removeOnExit = () => rmSync(folder, { recursive: true, force: true });
  process.on('exit', removeOnExit);
  try {
    await fill(folder, say);
    writeFileSync(stampFile(folder), CONTENT);
    const target = installationFolder();
    // Another run may have finished first; other content is replaced.
    if (readStamp(target) !== CONTENT) {
      rmSync(target, { recursive: true, force: true });
      renameSync(folder, target);
    }
    say(`workbench: installed in ${target}`);
    return programs(target);
  } finally {
    removeOnExit();
    process.off('exit', removeOnExit);
  }
}

async function fill(folder, say) {
  writeFileSync(path.join(folder, 'package.json'), '{ "private": true }\n');
  const codeServer = path.join(folder, 'node_modules/code-server');
  const vscode = path.join(codeServer, 'lib/vscode');
  const steps = [
    [`Node ${NODE}`, folder, ['install', `node-linux-${process.arch}@${NODE}`]],
    [`code-server ${CODE_SERVER}`, folder, ['install', '--ignore-scripts', `code-server@${CODE_SERVER}`]],
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
    const seconds = Math.round((Date.now() - started) / 1000);
    say(`workbench: installing, step ${index + 1} of ${steps.length} after ${seconds} s: ${what}`);
    await npm(args, cwd, nodeFolder(folder));
  }
  restoreProposedApiRule(vscode);
}

function programs(folder) {
  return {
    node: path.join(nodeFolder(folder), 'bin/node'),
    entry: path.join(folder, 'node_modules/code-server/out/node/entry.js'),
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
function npm(args, cwd, node24) {
  const env = Object.fromEntries(
    // Variables of `npm run` describe this project, not the folder to install in.
    Object.entries(process.env).filter(([name]) => !/^npm_(?!config_(registry|cache|userconfig|.*proxy)$)/i.test(name)),
  );
  env.PATH = [path.join(node24, 'bin'), process.env.PATH].join(path.delimiter);
  // The headers that node-gyp would otherwise download.
  env.npm_config_nodedir = node24;
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

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(1));
  try {
    await installWorkbench(console.log);
  } catch (error) {
    console.error(`workbench: ${error.message}`);
    process.exitCode = 1;
  }
}
