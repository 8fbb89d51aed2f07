// The sanitize suite: `node test/sanitize.mjs [--asked]`. Builds the engine, its tests and llama.cpp twice,
// with the address sanitizer (leaks included; undefined behaviour in our own code) and with the thread sanitizer, and
// runs the ctests under each that it can find something in. A finding fails its test. The last line is
// `sanitize: N passed, N failed, N skipped`; the exit code is 1 if anything failed.
//
// That takes a quarter of an hour, which `npm test` must not cost everybody: without --asked, CI=true or
// INKLING_SANITIZE_TESTS=required the suite is skipped, and says so.
import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ctestCounts } from './support/ctest.mjs';

const root = path.resolve(import.meta.dirname, '..');
const output = path.join(root, 'test/.output');
// Limit for a build or a run; each takes five minutes on two cores.
const STEP_TIME_LIMIT_MS = 14 * 60_000;

/** `only`: the tests to run; null for all. */
const sanitizers = [
  {
    name: 'address',
    only: null,
    environment: {
      ASAN_OPTIONS:
        'detect_leaks=1:detect_stack_use_after_return=1:strict_string_checks=1:check_initialization_order=1',
      UBSAN_OPTIONS: 'print_stacktrace=1',
    },
    launcher: [],
  },
  {
    name: 'thread',
    // The tests in which our threads meet: callers, the engine's thread and the backend's pool. The other tests take
    // twenty times as long and add no other meetings.
    only: ['cancellation_test', 'engine_test', 'memory_test', 'read_ahead_test', 'rolling_test'],
    environment: { TSAN_OPTIONS: 'second_deadlock_stack=1:history_size=4' },
    // The sanitizer does not start if the kernel moves mappings beyond the reach of its shadow memory.
    launcher: succeeds('setarch', ['-R', 'true']) ? ['setarch', '-R'] : [],
  },
];

/** The reason why the suite does not run here. */
class Unavailable extends Error {}

function main(args) {
  const unknown = args.filter((each) => each !== '--asked');
  if (unknown.length > 0) throw new Error(`unknown: ${unknown.join(' ')}; known: --asked`);
  if (process.platform !== 'linux') throw new Unavailable(`it runs on Linux only, and this is ${process.platform}`);
  if (!args.includes('--asked') && !isRequired()) {
    throw new Unavailable('it takes a quarter of an hour; npm test -- --only sanitize runs it, and so does CI');
  }
  mkdirSync(output, { recursive: true });
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const sanitizer of sanitizers) {
    const counts = build(sanitizer) ? test(sanitizer) : { passed: 0, failed: 1, skipped: 0 };
    for (const key of Object.keys(total)) total[key] += counts[key];
  }
  return total;
}

/** Output goes to a file and its end is shown after a failure: under a sanitizer GCC prints pages of warnings. */
function build({ name, only }) {
  const started = Date.now();
  const folder = path.join('build', name);
  const log = path.join(output, `sanitize-${name}-build.log`);
  const file = openSync(log, 'w');
  const generator = succeeds('ninja', ['--version']) ? ['-G', 'Ninja'] : [];
  const parallel = String(os.availableParallelism());
  const built =
    execute('cmake', ['-S', '.', '-B', folder, ...generator, `-DINKLING_SANITIZE=${name}`], {}, file) &&
    execute('cmake', ['--build', folder, '--parallel', parallel, '--target', ...(only ?? ['inkling_tests'])], {}, file);
  closeSync(file);
  if (!built) console.error(readFileSync(log, 'utf8').slice(-20_000));
  console.log(`sanitize: ${name} ${built ? 'built' : 'NOT BUILT'} in ${seconds(started)}; ${log} says how`);
  return built;
}

function test({ name, only, environment, launcher }) {
  const started = Date.now();
  const report = path.join(output, `sanitize-${name}.xml`);
  rmSync(report, { force: true });
  const [command, ...rest] = [...launcher, 'ctest', '--test-dir', path.join('build', name)];
  const chosen = only === null ? [] : ['--tests-regex', `^(${only.join('|')})$`];
  const parallel = ['--parallel', String(os.availableParallelism())];
  const ended = execute(
    command,
    [...rest, ...chosen, ...parallel, '--output-on-failure', '--output-junit', report],
    environment,
  );
  const counts = ctestCounts(report);
  console.log(`sanitize: ${name} ran ${counts.passed + counts.failed} tests in ${seconds(started)}`);
  const isComplete = ended || counts.failed > 0;
  return isComplete && counts.passed + counts.failed > 0 ? counts : { ...counts, failed: counts.failed + 1 };
}

function execute(command, args, environment = {}, target = 'inherit') {
  const { status, error } = spawnSync(command, args, {
    cwd: root,
    stdio: ['ignore', target, target],
    env: { ...process.env, ...environment },
    timeout: STEP_TIME_LIMIT_MS,
  });
  if (error) console.error(`${command}: ${error.message}`);
  return status === 0;
}

function succeeds(command, args) {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0;
}

function isRequired() {
  return process.env.CI === 'true' || process.env.INKLING_SANITIZE_TESTS === 'required';
}

function seconds(since) {
  return `${((Date.now() - since) / 1000).toFixed(1)} s`;
}

function run() {
  try {
    return main(process.argv.slice(2));
  } catch (error) {
    if (!(error instanceof Unavailable)) {
      console.error(error);
      return { passed: 0, failed: 1, skipped: 0 };
    }
    const isFailure = process.env.INKLING_SANITIZE_TESTS === 'required';
    console.log(`sanitize: ${isFailure ? 'FAILED' : 'SKIPPED'}: ${error.message}`);
    return { passed: 0, failed: isFailure ? 1 : 0, skipped: isFailure ? 0 : 1 };
  }
}

const { passed, failed, skipped } = run();
console.log(`sanitize: ${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exitCode = failed > 0 ? 1 : 0;
