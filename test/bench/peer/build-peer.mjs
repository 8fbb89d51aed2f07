// Builds llama-server and llama-bench, the peers of our benchmarks, from the same source with the same options: `npm
// run bench:peer`. The first build takes several minutes; without changes it takes a second or two. `npm run bench:peer
// -- --vulkan` builds them for benchmarks with `--device`.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { ensureBuilt } from '../../support/ensure-built.mjs';

const TARGETS = ['llama-server', 'llama-bench'];

const root = path.resolve(import.meta.dirname, '../../..');
const cache = process.env.INKLING_CACHE_DIR ?? path.join(root, '.cache');

/** The instruction set that the server's loader chooses on this machine, or the flavour for GPUs. */
function chooseFlavour() {
  const { vulkan } = parseArgs({ options: { vulkan: { type: 'boolean', default: false } } }).values;
  if (vulkan) return 'vulkan';
  const native = path.join(root, 'dist/native');
  if (!existsSync(native)) ensureBuilt(['npm packages', 'native addon']);
  const probe = path.join(native, 'inkling-cpu.node');
  if (!existsSync(probe)) return process.arch === 'arm64' ? 'arm64' : 'generic';
  const runnable = createRequire(import.meta.url)(probe).flavours();
  const wanted = process.env.INKLING_CPU_FLAVOUR || runnable[0];
  if (!runnable.includes(wanted)) throw new Error(`this processor runs ${runnable.join(', ')}, not ${wanted}`);
  return wanted;
}

/** The definitions in native/cmake/llama.cmake; what a flavour adds there as compiler flags are options here. */
function definitions(flavour) {
  const options = {
    CMAKE_BUILD_TYPE: 'Release',
    BUILD_SHARED_LIBS: 'OFF',
    GGML_NATIVE: 'OFF',
    GGML_OPENMP: 'OFF',
    GGML_BLAS: 'OFF',
    LLAMA_BUILD_TESTS: 'OFF',
    LLAMA_BUILD_EXAMPLES: 'OFF',
    LLAMA_BUILD_APP: 'OFF',
    // Nothing that needs a network, at build time or at run time.
    LLAMA_OPENSSL: 'OFF',
    LLAMA_BUILD_UI: 'OFF',
    LLAMA_USE_PREBUILT_UI: 'OFF',
  };
  if (process.platform === 'darwin') Object.assign(options, { GGML_METAL: 'ON', GGML_METAL_EMBED_LIBRARY: 'ON' });
  if (flavour === 'avx512') {
    for (const name of ['AVX512', 'AVX512_VBMI', 'AVX512_VNNI', 'AVX512_BF16']) options[`GGML_${name}`] = 'ON';
  }
  if (flavour === 'vulkan') options.GGML_VULKAN = 'ON';
  if (flavour === 'dotprod') options.GGML_CPU_ARM_ARCH = 'armv8.2-a+dotprod';
  return Object.entries(options).map(([name, value]) => `-D${name}=${value}`);
}

function sourceFolder() {
  if (process.env.INKLING_LLAMA_DIR) return path.resolve(process.env.INKLING_LLAMA_DIR);
  const script = path.join(root, 'native/fetch-llama.mjs');
  return execFileSync(process.execPath, [script], { encoding: 'utf8', stdio: ['ignore', 'pipe', 2] }).trim();
}

/** A copy of the sources with our patches of the Vulkan backend: without them, Debian's headers do not compile it. */
function vulkanSource(source) {
  const patched = path.join(root, 'build/patched-vulkan');
  if (!existsSync(patched)) throw new Error('the addon was built without Vulkan; `npm run build` says what it needs');
  const copy = path.join(cache, 'peer', 'vulkan-source');
  cpSync(source, copy, { recursive: true, preserveTimestamps: true });
  cpSync(patched, copy, { recursive: true, preserveTimestamps: true });
  return copy;
}

function run(command, args) {
  const result = spawnSync(command, args, { stdio: 'inherit' });
  if (result.error) throw result.error;
  if (result.status !== 0) throw new Error(`\`${command} ${args[0]}\` ended with ${result.signal ?? result.status}`);
}

/** Configures only if something that it depends on has changed. */
function configure(source, out, options) {
  const stampFile = path.join(out, 'inkling-peer.json');
  const stamp = JSON.stringify({ source, options });
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return;
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  run('cmake', ['-S', source, '-B', out, ...options]);
  writeFileSync(stampFile, stamp);
}

function build() {
  const started = Date.now();
  const flavour = chooseFlavour();
  const out = path.join(cache, 'peer', flavour);
  if (!existsSync(out)) console.log(`peer: first build for ${flavour}; it takes five to ten minutes on two cores`);
  const source = flavour === 'vulkan' ? vulkanSource(sourceFolder()) : sourceFolder();
  configure(source, out, definitions(flavour));
  const parallel = String(os.availableParallelism());
  run('cmake', ['--build', out, '--config', 'Release', '--parallel', parallel, '--target', ...TARGETS]);
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  console.log(`peer: ${TARGETS.join(' and ')} are in ${path.join(out, 'bin')} (${seconds} s)`);
}

try {
  build();
} catch (error) {
  console.error(`peer: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
