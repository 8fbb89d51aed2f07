// Fuzzing: `npm run fuzz -- [--minutes N] [--only TARGET,TARGET] [--seed N]`; test/native/fuzz/README.md explains it. Runs all
// targets, two at a time, and shares N minutes (2) among them; with --build-only it only builds them. With a seed the same
// inputs come each time, as far as the time goes. The last line is
// `fuzz: N passed, N failed, N skipped`, one for each target; the exit code is 1 if anything failed.
//
// Where libFuzzer is missing its targets are skipped, and a line says why; with INKLING_FUZZ_TESTS=required they fail.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { generatorArguments } from '../native/cmake-arguments.mjs';
import { ensureBuilt } from './support/ensure-built.mjs';

const root = path.resolve(import.meta.dirname, '..');
/** The corpus that grows, the inputs that failed, and the time spent so far. */
const cache = path.join(process.env.INKLING_CACHE_DIR ?? path.join(root, '.cache'), 'fuzz');
const BUILD = 'build/fuzz';
const BUILD_LIMIT_MS = 14 * 60_000;
const AT_A_TIME = Math.min(2, os.availableParallelism());
/** For starting, and for an input that takes its whole time. */
const MORE_SECONDS = 120;

/** test/native/fuzz, by libFuzzer. `longest`: bytes of an input. */
const NATIVE = [
  { name: 'convert_arguments', longest: 1_024 },
  { name: 'gguf_header', longest: 16_384, options: ['-dict=test/native/fuzz/gguf_header.dict'] },
  { name: 'prompt_lookup', longest: 512 },
  { name: 'text_stream', longest: 512 },
  { name: 'token_healing', longest: 4_096 },
  { name: 'vocabulary_index', longest: 64 },
];

/** Test files with properties (test/support/faults/property.ts), by fast-check. */
const PROPERTIES = [
  { name: 'addon-arguments', project: 'native-js', file: 'test/native/js/any-arguments.test.ts' },
  { name: 'document-changes', project: 'unit', file: 'test/unit/server/lsp/documents/any-change.test.ts' },
  { name: 'gguf-reader', project: 'unit', file: 'test/unit/server/models/gguf/any-gguf.test.ts' },
  {
    name: 'lsp-messages',
    project: 'protocol',
    file: 'test/protocol/hostile/client.test.ts',
    // Its other tests are slow, and the same every time.
    only: 'gets an answer to each request',
  },
  { name: 'page-messages', project: 'unit', file: 'test/unit/extension/chat/panel/any-page-message.test.ts' },
  { name: 'shared-messages', project: 'unit', file: 'test/unit/server/engine/shared/wire/any-messages.test.ts' },
  { name: 'remote-answers', project: 'unit', file: 'test/unit/server/engine/remote/any-answers.test.ts' },
  { name: 'settings', project: 'unit', file: 'test/unit/server/settings/any-settings.test.ts' },
  { name: 'workspace-text', project: 'unit', file: 'test/unit/server/linear-work.test.ts' },
];

async function main() {
  const { minutes, only, seed, buildOnly } = parseArguments(process.argv.slice(2));
  const isChosen = ({ name }) => only === null || only.includes(name);
  let native = NATIVE.filter(isChosen);
  const properties = PROPERTIES.filter(isChosen);
  const counts = { passed: 0, failed: 0, skipped: 0 };
  mkdirSync(path.join(cache, 'findings'), { recursive: true });

  const obstacle = native.length > 0 ? buildTargets(native) : null;
  if (obstacle !== null) {
    const isFailure = process.env.INKLING_FUZZ_TESTS === 'required' || obstacle.isFailure;
    console.log(`fuzz: ${isFailure ? 'FAILED' : 'SKIPPED'}: ${native.length} targets: ${obstacle.reason}`);
    counts[isFailure ? 'failed' : 'skipped'] += native.length;
    native = [];
  }
  if (buildOnly) return counts;
  if (properties.length > 0) ensureBuilt(['npm packages']);
  if (properties.some(({ project }) => project !== 'unit')) ensureBuilt(['native addon', 'bundles']);

  const targets = [
    ...native.map((target) => ({ ...target, run: runNative })),
    ...properties.map((target) => ({ ...target, run: runProperties })),
  ];
  const seconds = Math.max(1, Math.round((minutes * 60 * AT_A_TIME) / Math.max(targets.length, 1)));
  console.log(`fuzz: ${targets.length} targets, ${seconds} s each, ${AT_A_TIME} at a time; corpus in ${cache}`);
  const waiting = [...targets];
  const results = [];
  const work = async () => {
    for (let target = waiting.shift(); target !== undefined; target = waiting.shift()) {
      const started = Date.now();
      const result = await target.run(target, seconds, seed);
      results.push({ name: target.name, seconds: (Date.now() - started) / 1000, ...result });
      counts[result.finding === null ? 'passed' : 'failed'] += 1;
      if (result.finding !== null) console.log(`fuzz: FOUND by ${target.name}: ${result.finding}`);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, work));
  print(results);
  return counts;
}

function parseArguments(args) {
  const names = [...NATIVE, ...PROPERTIES].map(({ name }) => name);
  const usage = `usage: npm run fuzz -- [--minutes N] [--only TARGET,TARGET] [--seed N] [--build-only]; the targets are ${names.join(', ')}`;
  const options = { minutes: 2, only: null, seed: null, buildOnly: args.includes('--build-only') };
  const rest = args.filter((each) => each !== '--build-only');
  for (let index = 0; index < rest.length; index += 2) {
    const [option, value = ''] = rest.slice(index, index + 2);
    if (option === '--minutes' && Number(value) > 0) options.minutes = Number(value);
    else if (option === '--seed' && Number(value) > 0) options.seed = Number(value);
    else if (option === '--only' && value.split(',').every((name) => names.includes(name))) {
      options.only = value.split(',');
    } else {
      console.error(`${option} ${value}: unknown\n${usage}`);
      process.exit(2);
    }
  }
  return options;
}

/** Null once the targets are built, or why they cannot be. */
function buildTargets(targets) {
  if (process.platform !== 'linux') return { reason: `they run on Linux only, and this is ${process.platform}` };
  const clang = findClang();
  if (clang === null) {
    return { reason: 'no clang with libFuzzer. Debian and Ubuntu: apt-get install clang-14 libclang-rt-14-dev' };
  }
  ensureBuilt(['npm packages', 'native addon']);
  const started = Date.now();
  const compilers = [`-DCMAKE_C_COMPILER=${clang.c}`, `-DCMAKE_CXX_COMPILER=${clang.cxx}`];
  const steps = [
    ['-S', '.', '-B', BUILD, ...generatorArguments(path.join(root, BUILD)), '-DINKLING_FUZZ=ON', ...compilers],
    [
      ...['--build', BUILD, '--parallel', String(os.availableParallelism())],
      ...['--target', ...targets.map(({ name }) => `${name}_fuzz`)],
    ],
  ];
  for (const step of steps) {
    const { status, stdout, stderr } = spawnSync('cmake', step, {
      cwd: root,
      encoding: 'utf8',
      timeout: BUILD_LIMIT_MS,
      maxBuffer: 2 ** 28,
    });
    if (status === 0) continue;
    console.error(`${stdout}${stderr}`.slice(-20_000));
    return { reason: 'they could not be built', isFailure: true };
  }
  console.log(`fuzz: built with ${clang.cxx} in ${((Date.now() - started) / 1000).toFixed(1)} s`);
  return null;
}

function findClang() {
  const program =
    '#include <cstdint>\n#include <cstddef>\nextern "C" int LLVMFuzzerTestOneInput(const uint8_t *, size_t) { return 0; }';
  for (const suffix of ['', '-19', '-18', '-17', '-16', '-15', '-14']) {
    const [c, cxx] = [`clang${suffix}`, `clang++${suffix}`];
    const args = ['-x', 'c++', '-', '-fsanitize=fuzzer,address', '-o', path.join(cache, 'probe')];
    if (spawnSync(cxx, args, { input: program }).status === 0) return { c, cxx };
  }
  return null;
}

/** Runs the inputs that are checked in and those found so far, then new ones. */
async function runNative({ name, longest, options = [] }, seconds, seed) {
  const corpus = path.join(cache, name);
  const fixtures = path.join('test/fixtures/fuzz', name);
  mkdirSync(corpus, { recursive: true });
  const before = readdirSync(corpus).length;
  const binary = path.join(BUILD, 'test/native/fuzz', `${name}_fuzz`);
  const findings = path.join(cache, 'findings', `${name}-`);
  const { exitCode, output } = await execute(
    binary,
    [
      ...[`-max_total_time=${seconds}`, `-max_len=${longest}`, '-timeout=20', '-rss_limit_mb=2048'],
      ...['-print_final_stats=1', `-artifact_prefix=${findings}`, ...options],
      ...(seed === null ? [] : [`-seed=${seed}`]),
      ...[corpus, ...(existsSync(path.join(root, fixtures)) ? [fixtures] : [])],
    ],
    seconds,
    {},
  );
  const [, runs = '0'] = /number_of_executed_units: (\d+)/.exec(output) ?? [];
  const coverage = [...output.matchAll(/ cov: (\d+) ft: (\d+)/g)].at(-1);
  const result = {
    runs: Number(runs),
    coverage: coverage === undefined ? '-' : `${coverage[1]} edges`,
    inputs: `${readdirSync(corpus).length} (${readdirSync(corpus).length - before} new)`,
    finding: null,
  };
  if (exitCode === 0) return result;
  console.error(output.slice(-6_000));
  const [, file] = /Test unit written to (.+)/.exec(output) ?? [];
  const again = file === undefined ? 'it ended without an input; see above' : `${file}\n  again: ${binary} '${file}'`;
  return { ...result, finding: again };
}

/** fast-check prints the smallest input that fails, its seed and its path. */
async function runProperties({ name, project, file, only = '' }, seconds, seed) {
  const properties = readFileSync(path.join(root, file), 'utf8').match(/^\s*property\(/gm)?.length ?? 1;
  const report = path.join(cache, `${name}.jsonl`);
  rmSync(report, { force: true });
  const command = [
    ...['node_modules/vitest/vitest.mjs', 'run', '--project', project, file],
    ...['--reporter=default', '--no-color', ...(only === '' ? [] : ['-t', only])],
  ];
  const environment = {
    INKLING_FUZZ_MS: String(Math.round((seconds * 1000) / properties)),
    INKLING_FUZZ_REPORT: report,
    ...(seed === null ? {} : { INKLING_FUZZ_SEED: String(seed) }),
  };
  const { exitCode, output } = await execute(process.execPath, command, seconds, environment);
  const lines = existsSync(report) ? readFileSync(report, 'utf8').trim().split('\n') : [];
  const runs = lines.reduce((sum, line) => sum + (JSON.parse(line || '{"runs":0}').runs ?? 0), 0);
  const result = { runs, coverage: `${properties} properties`, inputs: '-', finding: null };
  // vitest ends with 0 where no test has the name.
  if (exitCode === 0)
    return runs > 0 ? result : { ...result, finding: `${file} has no property${only && ` "${only}"`}` };
  const found = path.join(cache, 'findings', `${name}.log`);
  writeFileSync(found, output);
  console.error(output.slice(-6_000));
  const failure = / > ([^>\n]+)\nError: Property failed[^\n]*\n\{ seed: (-?\d+), path: "([^"]*)"/;
  const [, test = '', failedSeed, at] = failure.exec(output) ?? [];
  const replay = failedSeed === undefined ? '' : `INKLING_FUZZ_REPLAY='{"seed":${failedSeed},"path":"${at}"}' `;
  const again = `${replay}npx vitest run --project ${project} ${file}${test === '' ? '' : ` -t '${test}'`}`;
  return { ...result, finding: `${found}\n  again: ${again}` };
}

/** Resolves with the exit code, 1 where a signal ended it, and all that it printed. */
function execute(command, args, seconds, environment) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: (seconds * 2 + MORE_SECONDS) * 1000,
      env: { ...process.env, ...environment },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk) => {
        output = `${output}${chunk}`.slice(-1_000_000);
      });
    }
    child.on('error', (error) => resolve({ exitCode: 1, output: String(error) }));
    child.on('close', (code, signal) => {
      if (signal !== null) output += `\nended by ${signal}`;
      resolve({ exitCode: code ?? 1, output });
    });
  });
}

/** None where a run that was killed has left half of the file. */
function readMinutes(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return {};
  }
}

function print(results) {
  const file = path.join(cache, 'minutes.json');
  const minutes = readMinutes(file);
  const rows = results
    .sort((left, right) => left.name.localeCompare(right.name))
    .map(({ name, runs, coverage, inputs, seconds, finding }) => {
      minutes[name] = (minutes[name] ?? 0) + seconds / 60;
      const times = [`${seconds.toFixed(0)} s`, `${minutes[name].toFixed(1)} min`];
      return [name, String(runs), coverage, inputs, ...times, finding === null ? '0' : '1'];
    });
  writeFileSync(file, JSON.stringify(minutes, null, 2));
  const table = [['target', 'runs', 'coverage', 'inputs', 'time', 'in all', 'findings'], ...rows];
  const widths = table[0].map((_, column) => Math.max(...table.map((row) => row[column].length)));
  for (const row of table)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    );
}

const { passed, failed, skipped } = await main();
console.log(`fuzz: ${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exitCode = failed > 0 ? 1 : 0;
