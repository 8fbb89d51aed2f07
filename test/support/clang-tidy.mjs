// Checks our C++ against .clang-tidy: `node test/support/clang-tidy.mjs`. Ends with exit code 77 where it cannot run.
// A file without findings is not looked at again until it, a header of ours that it includes, or a rule changes.
//
// The files of a folder are checked as one first, since most of the time goes to the headers that they share. Where that
// finds anything, or does not compile, each file is checked by itself, and says what is wrong.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const SKIPPED = 77;
const AT_A_TIME = 2;

const root = path.resolve(import.meta.dirname, '../..');
const cache = path.join(process.env.INKLING_CACHE_DIR ?? path.join(root, '.cache'), 'clang-tidy');
const FOLDERS = ['native/engine', 'native/addon', 'native/kernels'];
/** The kernels have another text for each of these instruction sets. */
const INSTRUCTIONS = {
  x64: [
    ['-mavx2', '-mfma', '-mf16c', '-mbmi2'],
    ['-mavx512f', '-mavx512cd', '-mavx512vl', '-mavx512dq', '-mavx512bw', '-mavx512vnni', '-mfma', '-mf16c'],
  ],
};
/** One asks for a processor's features by names that older versions of clang do not know, one is for Windows only. */
const EXCLUDED = ['native/addon/flavour/cpu_probe.cpp', 'native/addon/flavour/host_program.cpp'];
/** So that all platforms check the same code, nothing here comes from a build. */
const DEFINITIONS = [
  '-DNAPI_VERSION=8',
  '-DNAPI_CPP_EXCEPTIONS',
  '-DNODE_API_SWALLOW_UNTHROWABLE_EXCEPTIONS',
  '-DINKLING_FLAVOUR="generic"',
];

async function main() {
  const version = spawnSync('clang-tidy', ['--version'], { encoding: 'utf8' });
  if (version.status !== 0)
    return skip('this machine has no clang-tidy. Debian and Ubuntu: apt-get install clang-tidy');
  const llama = llamaSource();
  if (llama === null) return skip("llama.cpp's headers are missing");

  const flags = compilerFlags(llama);
  const headers = [path.basename(llama), read('node_modules/node-addon-api/package.json')];
  const common = [version.stdout, ...headers, ...DEFINITIONS, read('.clang-tidy')];
  const started = Date.now();
  const files = FOLDERS.flatMap(listSources).filter((file) => !EXCLUDED.includes(file));
  mkdirSync(cache, { recursive: true });
  const due = files
    .flatMap((file) => instructionsOf(file).map((instructions) => ({ file, instructions })))
    .map((each) => ({
      ...each,
      stamp: path.join(cache, digest([...common, ...each.instructions, ...textsOf(each.file)])),
    }))
    .filter(({ stamp }) => !existsSync(stamp));

  const scratch = mkdtempSync(path.join(os.tmpdir(), 'inkling-clang-tidy-'));
  const apart = [];
  await inParallel(groupsOf(due), async (group) => {
    if (canStandTogether(group) && (await isCleanTogether(group, flags, scratch))) pass(group);
    else apart.push(...group);
  });
  rmSync(scratch, { recursive: true, force: true });

  let findings = 0;
  await inParallel(apart, async (each) => {
    const { exitCode, output } = await tidy(each.file, [...flags, ...each.instructions]);
    if (exitCode === 0) return pass([each]);
    findings += 1;
    console.error(`${each.file}:\n${output.trim()}`);
  });
  const seconds = ((Date.now() - started) / 1000).toFixed(1);
  console.log(
    `clang-tidy: ${files.length} files, ${namesIn(due)} of them changed, ${namesIn(apart)} looked at by themselves, ${findings} with findings, ${seconds} s`,
  );
  return findings > 0 ? 1 : 0;
}

/** What shares a folder and the instructions. */
function groupsOf(due) {
  const groups = new Map();
  for (const each of due) {
    const key = [path.posix.dirname(each.file), ...each.instructions].join(' ');
    groups.set(key, [...(groups.get(key) ?? []), each]);
  }
  return [...groups.values()];
}

/** The kernels use the same names for different things. */
function canStandTogether(group) {
  return group.length > 1 && group[0].instructions.length === 0;
}

async function isCleanTogether(group, flags, scratch) {
  const together = path.join(mkdtempSync(path.join(scratch, 'group-')), 'together.cpp');
  writeFileSync(together, group.map(({ file }) => `#include "${path.join(root, file)}"\n`).join(''));
  const { exitCode } = await tidy(together, [...flags, ...group[0].instructions]);
  return exitCode === 0;
}

function pass(checked) {
  for (const { stamp } of checked) writeFileSync(stamp, '');
}

function namesIn(due) {
  return new Set(due.map(({ file }) => file)).size;
}

async function inParallel(items, work) {
  const waiting = [...items];
  const next = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, next));
}

function skip(reason) {
  console.error(`clang-tidy: SKIPPED: ${reason}`);
  return SKIPPED;
}

function llamaSource() {
  if (process.env.INKLING_LLAMA_DIR) return process.env.INKLING_LLAMA_DIR;
  const fetched = spawnSync(process.execPath, ['native/fetch-llama.mjs'], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return fetched.status === 0 ? fetched.stdout.trim() : null;
}

function compilerFlags(llama) {
  const system = [
    `${llama}/include`,
    `${llama}/ggml/include`,
    `${llama}/src`,
    `${llama}/ggml/src`,
    `${llama}/ggml/src/ggml-cpu`,
    'node_modules/node-addon-api',
    'node_modules/node-api-headers/include',
  ];
  return ['-std=c++20', '-Inative', ...system.flatMap((folder) => ['-isystem', folder]), ...DEFINITIONS];
}

function instructionsOf(file) {
  return (file.startsWith('native/kernels/') ? INSTRUCTIONS[process.arch] : undefined) ?? [[]];
}

function listSources(folder) {
  return readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.cpp'))
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`)
    .sort();
}

/** The file's text and those of all our headers that it includes, however indirectly. */
function textsOf(file, seen = new Set()) {
  if (seen.has(file) || !existsSync(path.join(root, file))) return [];
  seen.add(file);
  const text = read(file);
  const headers = [...text.matchAll(/^\s*#\s*include\s*"([^"]+)"/gm)].flatMap(([, header]) => [
    `native/${header}`,
    path.posix.join(path.posix.dirname(file), header),
  ]);
  return [file, text, ...headers.flatMap((header) => textsOf(header, seen))];
}

function read(file) {
  return readFileSync(path.join(root, file), 'utf8');
}

function digest(texts) {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(`${text.length}:${text}`);
  return hash.digest('hex');
}

function tidy(file, flags) {
  return new Promise((resolve) => {
    const child = spawn('clang-tidy', ['--quiet', '--config-file=.clang-tidy', file, '--', ...flags], {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output += chunk;
      });
    }
    child.on('error', (error) => resolve({ exitCode: 1, output: error.message }));
    child.on('close', (exitCode) => resolve({ exitCode: exitCode ?? 1, output }));
  });
}

process.exitCode = await main();
