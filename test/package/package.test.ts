// `npm run test:package`: what users install, for each target that this machine can build and run. The packaged server
// runs in its platform's Node and completes with the starter model of the package. Other processors are emulated, so the
// time limits are long.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { InlineCompletionTriggerKind } from 'vscode-languageserver-protocol/node';
import { targetOf } from '../../extension/native-binary.mjs';
import { HOST } from '../../native/targets.mjs';
import { WASM_FILES } from '../../server/grammars.mjs';
import { ServerProcess } from '../support/server-process.js';
import { REPOSITORY_ROOT } from '../support/source-tree.js';
import { otherNode } from './other-node.mjs';
import { unzip } from './unzip.js';

/** A first build of llama.cpp included. */
const PACKAGE_LIMIT_MS = 30 * 60_000;
const SERVER_LIMIT_MS = 10 * 60_000;

const output = path.join(REPOSITORY_ROOT, 'test/.output/package');
const RELAY = path.join(REPOSITORY_ROOT, 'test/package/wine-server.cjs');

const URI = 'file:///work/area.ts';
const TEXT = 'export function area(width: number, height: number): number {\n  return \n}\n';
const CURSOR = { line: 1, character: 9 };

interface Machine {
  readonly name: string;
  readonly flavour: string;
  readonly environment: NodeJS.ProcessEnv;
}

interface Platform {
  readonly target: string;
  /** What it runs with; null is this machine itself. */
  readonly emulator: string | null;
  readonly modules: readonly string[];
  readonly machines: readonly Machine[];
  /** The command that runs a script in the platform's Node, whose path may be missing. */
  readonly command: (script: string) => readonly string[];
}

const WINE = { WINEDEBUG: '-all', WINEPREFIX: path.join(output, 'wine') };

const platforms: readonly Platform[] = [
  {
    target: 'linux-x64',
    emulator: null,
    modules: ['inkling-avx2.node', 'inkling-avx512.node', 'inkling-cpu.node'],
    machines: [{ name: 'this processor', flavour: 'avx', environment: {} }],
    command: (script) => [process.execPath, script],
  },
  {
    target: 'linux-arm64',
    emulator: 'qemu-aarch64',
    modules: ['inkling-arm64.node', 'inkling-cpu.node', 'inkling-dotprod.node'],
    machines: [
      { name: 'Cortex-A72', flavour: 'arm64', environment: { QEMU_CPU: 'cortex-a72' } },
      { name: 'Neoverse N1', flavour: 'dotprod', environment: { QEMU_CPU: 'neoverse-n1' } },
    ],
    command: (script) => ['qemu-aarch64', '-L', '/usr/aarch64-linux-gnu', otherNode('linux-arm64'), script],
  },
  {
    target: 'win32-x64',
    emulator: 'wine',
    modules: ['inkling-avx2.node', 'inkling-avx512.node', 'inkling-cpu.node'],
    machines: [
      { name: 'the best flavour', flavour: 'avx', environment: WINE },
      { name: 'AVX2', flavour: 'avx2', environment: { ...WINE, INKLING_CPU_FLAVOUR: 'avx2' } },
    ],
    command: (script) => [process.execPath, RELAY, otherNode('win32-x64'), script],
  },
];

const COMPILERS: Readonly<Record<string, string>> = {
  'linux-arm64': 'aarch64-linux-gnu-g++',
  'win32-x64': 'x86_64-w64-mingw32-g++-posix',
};

/** The command that this machine lacks for a platform; null if it lacks none. */
function lackedBy({ target, emulator }: Platform): string | null {
  if (target === HOST) return null;
  if (emulator === null || process.platform !== 'linux') return target;
  const needed = [COMPILERS[target] ?? '', emulator];
  return needed.find((command) => spawnSync(command, ['--version'], { stdio: 'ignore' }).status !== 0) ?? null;
}

const required = process.env.INKLING_PACKAGE_TESTS === 'required';

describe.each(platforms)('the package for $target', (platform) => {
  const lacked = lackedBy(platform);
  if (lacked !== null && !required) {
    console.warn(`SKIPPED, the package for ${platform.target}: this machine has no ${lacked}.`);
    test.skip('runs', () => undefined);
    return;
  }

  const { target, modules, machines } = platform;
  const folder = path.join(output, target);
  let names: readonly string[] = [];
  let server: ServerProcess | null = null;

  beforeAll(() => {
    mkdirSync(output, { recursive: true });
    rmSync(folder, { recursive: true, force: true });
    const vsix = path.join(output, `${target}.vsix`);
    execFileSync(process.execPath, ['extension/package.mjs', '--target', target, vsix], { stdio: ['ignore', 2, 2] });
    names = unzip(vsix, folder);
    if (platform.emulator === 'wine') {
      // Node asks for Windows 10.
      spawnSync('wine', ['winecfg', '-v', 'win10'], { stdio: 'ignore', env: { ...process.env, ...WINE } });
    }
  }, PACKAGE_LIMIT_MS);

  afterEach(async () => {
    await server?.dispose();
    server = null;
  });

  test('has the native modules of its platform, and no others', () => {
    const native = path.join(folder, 'extension/dist/native');
    expect(readdirSync(native).sort()).toEqual(modules);
    for (const name of modules) expect(targetOf(readFileSync(path.join(native, name)))).toBe(target);
    expect(names.filter((name) => name.endsWith('.node'))).toHaveLength(modules.length);
    expect(readFileSync(path.join(folder, 'extension.vsixmanifest'), 'utf8')).toContain(`TargetPlatform="${target}"`);
  });

  test('has what runs everywhere, with licences, and no sources', () => {
    const grammars = WASM_FILES.map((file) => path.basename(file)).sort();
    expect(readdirSync(path.join(folder, 'extension/dist/grammars')).sort()).toEqual(grammars);
    expect(names.filter((name) => /\.(?:map|ts|mjs|cpp|h|vsix)$|node_modules/.test(name))).toEqual([]);
    const notices = readFileSync(path.join(folder, 'extension/dist/THIRD_PARTY_NOTICES.txt'), 'utf8');
    expect(notices).toContain('llama.cpp and ggml (MIT)');
    expect(notices.includes('winpthreads')).toBe(target.startsWith('win32'));
  });

  test.each(machines)(
    'completes code on $name',
    async ({ flavour, environment }) => {
      server = new ServerProcess({
        command: platform.command(path.join(folder, 'extension/dist/server.js')),
        environment,
      });
      // No process of this machine is known in wine, so that server would take its client for gone.
      await server.initialize(undefined, undefined, platform.emulator === 'wine' ? null : process.pid);
      await server.waitForState('ready', SERVER_LIMIT_MS);
      expect(server.logs.join('\n')).toMatch(new RegExp(`built for ${flavour}`));
      await server.open(URI, 'typescript', TEXT);
      // The model is small, and each flavour rounds in its own way; a slow processor ends the suggestion early.
      expect(await suggested(server)).toMatch(/^width [*/]/);
      expect(await server.shutdown()).toBe(0);
    },
    SERVER_LIMIT_MS,
  );
});

/** What the user sees who asks again and again until the model has an answer. */
async function suggested(server: ServerProcess): Promise<string> {
  const deadline = performance.now() + SERVER_LIMIT_MS;
  while (performance.now() < deadline) {
    const [item] = await server.complete(URI, CURSOR, undefined, { triggerKind: InlineCompletionTriggerKind.Invoked });
    if (item !== undefined) return String(item.insertText);
    await delay(200);
  }
  throw new Error('no suggestion was shown');
}
