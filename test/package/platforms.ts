import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { HOST, targetFolders } from '../../native/targets.mjs';
import { REPOSITORY_ROOT } from '../support/source-tree.js';
import { otherNode } from './other-node.mjs';
import { RELEASED_MODULES, VULKAN_MODULE } from './released-modules.js';

export const OUTPUT = path.join(REPOSITORY_ROOT, 'test/.output/package');

/** A processor that a package runs on. */
export interface Machine {
  readonly name: string;
  /** How the flavour's name begins that must be chosen there. */
  readonly flavour: string;
  readonly environment: NodeJS.ProcessEnv;
}

export interface Platform {
  readonly target: string;
  /** What its package must hold; one that is made here may hold more. */
  readonly modules: readonly string[];
  readonly machines: readonly Machine[];
  /** The command that runs a script in the platform's Node, without the arguments of the script. */
  readonly command: (script: string) => readonly string[];
  /** The same for a script that uses no standard streams. */
  readonly silently: (script: string) => readonly string[];
  /** Whether the server knows the processes of this machine. */
  readonly knowsProcesses: boolean;
  /** A loader of Vulkan for the platform that finds no driver; null where there is only what the machine has. */
  readonly emptyLoader: string | null;
}

/** How a platform runs on another one. */
interface Emulation extends Pick<Platform, 'machines' | 'command' | 'silently' | 'knowsProcesses' | 'emptyLoader'> {
  readonly commands: readonly string[];
}

/** Outside of the tree: it holds a link to the root of the disk, which whoever lists our files would follow. */
const WINE = {
  WINEDEBUG: '-all',
  WINEPREFIX: path.join(mkdtempSync(path.join(os.tmpdir(), 'inkling-wine-')), 'prefix'),
};
const RELAY = path.join(REPOSITORY_ROOT, 'test/package/wine-server.cjs');

const EMULATIONS: Readonly<Record<string, Emulation>> = {
  'linux-arm64': {
    commands: ['aarch64-linux-gnu-g++', 'qemu-aarch64'],
    machines: [
      { name: 'a Cortex-A72', flavour: 'arm64', environment: { QEMU_CPU: 'cortex-a72' } },
      { name: 'a Neoverse N1', flavour: 'dotprod', environment: { QEMU_CPU: 'neoverse-n1' } },
    ],
    command: inQemu,
    silently: inQemu,
    knowsProcesses: true,
    emptyLoader: path.join(REPOSITORY_ROOT, targetFolders('linux-arm64').build, 'vulkan-for-target/libvulkan.so'),
  },
  'win32-x64': {
    commands: ['x86_64-w64-mingw32-g++-posix', 'wine'],
    machines: [
      { name: 'this processor', flavour: 'avx', environment: WINE },
      { name: 'a processor without AVX-512', flavour: 'avx2', environment: { ...WINE, INKLING_CPU_FLAVOUR: 'avx2' } },
    ],
    command: (script) => [process.execPath, RELAY, nodeNamedLikeVsCode(), script],
    silently: (script) => ['wine', nodeNamedLikeVsCode(), script],
    knowsProcesses: false,
    emptyLoader: null,
  },
};

function inQemu(script: string): readonly string[] {
  return ['qemu-aarch64', '-L', '/usr/aarch64-linux-gnu', otherNode('linux-arm64'), script];
}

/** A module must find Node-API in a program of any name. */
function nodeNamedLikeVsCode(): string {
  const program = path.join(OUTPUT, 'Code.exe');
  copyFileSync(otherNode('win32-x64'), program);
  return program;
}

function ownPlatform(modules: readonly string[]): Platform {
  return {
    target: HOST,
    modules,
    machines: [{ name: 'this processor', flavour: '', environment: {} }],
    command: (script) => [process.execPath, script],
    silently: (script) => [process.execPath, script],
    knowsProcesses: true,
    emptyLoader: null,
  };
}

/**
 * This machine's platform and those that it emulates.
 * @param packed whether the package is there already; others than this machine's need not be tested then
 */
export function platforms(packed: boolean): readonly Platform[] {
  if (packed) return [ownPlatform(RELEASED_MODULES[HOST] ?? [])];
  const own = ownPlatform(modulesAnywhere(HOST));
  if (process.platform !== 'linux') return [own];
  const others = Object.keys(EMULATIONS).filter((target) => target !== HOST);
  return [own, ...others.flatMap((target) => emulated(target) ?? [])];
}

/** What every machine that builds the target makes. */
function modulesAnywhere(target: string): readonly string[] {
  return (RELEASED_MODULES[target] ?? []).filter((module) => module !== VULKAN_MODULE);
}

/** Null, with a warning, where this machine lacks what it takes; with INKLING_PACKAGE_TESTS=required that fails. */
function emulated(target: string): Platform | null {
  const { commands, ...emulation } = EMULATIONS[target] as Emulation;
  const lacked = commands.filter((command) => spawnSync(command, ['--version'], { stdio: 'ignore' }).status !== 0);
  if (lacked.length > 0) {
    const reason = `the package for ${target} cannot be tested: this machine has no ${lacked.join(', no ')}`;
    if (process.env.INKLING_PACKAGE_TESTS === 'required') throw new Error(reason);
    console.warn(`SKIPPED: ${reason}.`);
    return null;
  }
  return { target, modules: modulesAnywhere(target), ...emulation };
}

/** Node refuses the Windows that wine first claims to be. */
export function prepareWine(): void {
  spawnSync('wine', ['winecfg', '-v', 'win10'], { stdio: 'ignore', env: { ...process.env, ...WINE } });
}

/** Ends what wine left running, and removes its files. */
export function cleanUpWine(): void {
  spawnSync('wineserver', ['-k', '-w'], { stdio: 'ignore', env: { ...process.env, ...WINE } });
  rmSync(path.dirname(WINE.WINEPREFIX), { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}
