// `npm run test:package`: what users install, for each target that this machine can build and run. The packaged server
// runs in its platform's Node and completes with the starter model of the package. Other processors are emulated, so the
// time limits are long. INKLING_PACKAGE is a package for this machine to test instead of making them.
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { InlineCompletionTriggerKind } from 'vscode-languageserver-protocol/node';
import { targetOf } from '../../extension/native-binary.mjs';
import { nativeModules } from '../../native/targets.mjs';
import { WASM_FILES } from '../../server/grammars.mjs';
import { ServerProcess } from '../support/servers/server-process.js';
import { REPOSITORY_ROOT } from '../support/source-tree.js';
import { cleanUpWine, OUTPUT, platforms, prepareWine } from './platforms.js';
import { VULKAN_MODULE } from './released-modules.js';
import { unzip } from './unzip.js';

/** A first build of llama.cpp included. */
const PACKAGE_LIMIT_MS = 30 * 60_000;
const SERVER_LIMIT_MS = 10 * 60_000;

const LIST_DEVICES = path.join(REPOSITORY_ROOT, 'test/package/list-devices.cjs');

const URI = 'file:///work/area.ts';
const TEXT = 'export function area(width: number, height: number): number {\n  return \n}\n';
const CURSOR = { line: 1, character: 9 };

const packed = process.env.INKLING_PACKAGE ?? null;

afterAll(cleanUpWine);

describe.each(platforms(packed !== null))('the package for $target', (platform) => {
  const { target, modules, machines, knowsProcesses } = platform;
  const folder = path.join(OUTPUT, target);
  let names: readonly string[] = [];
  let server: ServerProcess | null = null;

  beforeAll(() => {
    mkdirSync(OUTPUT, { recursive: true });
    rmSync(folder, { recursive: true, force: true });
    const vsix = packed ?? path.join(OUTPUT, `${target}.vsix`);
    if (packed === null) {
      execFileSync(process.execPath, ['extension/package.mjs', '--target', target, vsix], { stdio: ['ignore', 2, 2] });
    }
    names = unzip(vsix, folder);
    if (target === 'win32-x64' && process.platform !== 'win32') prepareWine();
  }, PACKAGE_LIMIT_MS);

  afterEach(async () => {
    await server?.dispose();
    server = null;
  });

  test('has the native modules of its platform, and no others', () => {
    const native = path.join(folder, 'extension/dist/native');
    const found = readdirSync(native).sort();
    expect(found).toEqual(expect.arrayContaining([...modules]));
    if (packed === null)
      expect(found).toEqual(
        nativeModules(target)
          .map((file) => path.basename(file))
          .sort(),
      );
    for (const name of found) expect(targetOf(readFileSync(path.join(native, name)))).toBe(target);
    expect(names.filter((name) => name.endsWith('.node'))).toHaveLength(found.length);
    expect(readFileSync(path.join(folder, 'extension.vsixmanifest'), 'utf8')).toContain(`TargetPlatform="${target}"`);
  });

  test('has what runs everywhere, with licences, and no sources', () => {
    const grammars = WASM_FILES.map((file) => path.basename(file)).sort();
    expect(readdirSync(path.join(folder, 'extension/dist/grammars')).sort()).toEqual(grammars);
    expect(names.filter((name) => /\.(?:map|ts|mjs|cpp|h|vsix)$|node_modules/.test(name))).toEqual([]);
    const notices = readFileSync(path.join(folder, 'extension/dist/THIRD_PARTY_NOTICES.txt'), 'utf8');
    expect(notices).toContain('llama.cpp and ggml (MIT)');
    expect(notices.includes('winpthreads')).toBe(target.startsWith('win32'));
    expect(notices.includes('GNU libstdc++')).toBe(!target.startsWith('darwin'));
    expect(notices.includes('Vulkan-Headers')).toBe(names.some((name) => name.endsWith('/inkling-vulkan.node')));
  });

  test('has a Vulkan module that lists devices, or says that the loader is missing', () => {
    const module = path.join(folder, 'extension/dist/native', VULKAN_MODULE);
    if (!existsSync(module)) return;
    const found = path.join(OUTPUT, `${target}.devices.json`);
    const list = (environment: NodeJS.ProcessEnv): unknown => {
      rmSync(found, { force: true });
      const [program = '', ...args] = platform.silently(LIST_DEVICES);
      const env = { ...process.env, ...machines[0]?.environment, ...environment };
      const { status } = spawnSync(program, [...args, module, found], {
        env,
        stdio: 'ignore',
        timeout: SERVER_LIMIT_MS,
      });
      expect(status).toBe(0);
      return JSON.parse(readFileSync(found, 'utf8'));
    };
    const { devices, error } = list({}) as { readonly devices?: unknown; readonly error?: unknown };
    if (devices === undefined) expect(error).toMatch(/vulkan/i);
    else expect(devices).toBeInstanceOf(Array);

    if (platform.emptyLoader === null) return;
    const loader = path.join(OUTPUT, 'loader');
    mkdirSync(loader, { recursive: true });
    copyFileSync(platform.emptyLoader, path.join(loader, 'libvulkan.so.1'));
    // It has the functions of the list that the module is linked by, and the module takes no others.
    expect(list({ LD_LIBRARY_PATH: loader, LD_BIND_NOW: '1' })).toEqual({ devices: [] });
  });

  test.each(machines)(
    'completes code on $name',
    async ({ flavour, environment }) => {
      const command = platform.command(path.join(folder, 'extension/dist/server.js'));
      server = new ServerProcess({ command, environment });
      // A server that does not know its client's process would take it for gone.
      await server.initialize(undefined, undefined, knowsProcesses ? process.pid : null);
      await server.waitForState('ready', SERVER_LIMIT_MS);
      expect(server.logs.join('\n')).toContain(`built for ${flavour}`);
      await server.open(URI, 'typescript', TEXT);
      // What it says is the model's affair: each flavour rounds in its own way, and a slow processor ends it early.
      expect((await suggested(server)).trim()).not.toBe('');
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
