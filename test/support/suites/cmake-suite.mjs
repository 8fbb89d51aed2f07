// What suites with a CMake build of their own have in common (test/sanitize.mjs, test/emulated.mjs): they build into a
// folder below build, run ctests there, and end with the line `NAME: N passed, N failed, N skipped`.
import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { generatorArguments } from '../../../native/cmake-arguments.mjs';
import { ctestCounts } from './ctest.mjs';

const root = path.resolve(import.meta.dirname, '../../..');
const output = path.join(root, 'test/.output');
// Limit for a build or a run; each takes five minutes on two cores, and much longer beside other suites.
const STEP_TIME_LIMIT_MS = 40 * 60_000;

/** The reason why a suite does not run here. */
export class Unavailable extends Error {}

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */

/**
 * Runs a suite and prints its counts. The exit code is 1 if anything failed. A suite that cannot run here is skipped,
 * and says why; with `required` it then fails.
 *
 * @param {string} name
 * @param {boolean} required
 * @param {() => Counts} main may throw Unavailable
 */
export function runSuite(name, required, main) {
  const { passed, failed, skipped } = guarded(name, required, main);
  console.log(`${name}: ${passed} passed, ${failed} failed, ${skipped} skipped`);
  process.exitCode = failed > 0 ? 1 : 0;
}

function guarded(name, required, main) {
  try {
    mkdirSync(output, { recursive: true });
    return main();
  } catch (error) {
    if (!(error instanceof Unavailable)) {
      console.error(error);
      return { passed: 0, failed: 1, skipped: 0 };
    }
    console.log(`${name}: ${required ? 'FAILED' : 'SKIPPED'}: ${error.message}`);
    return { passed: 0, failed: required ? 1 : 0, skipped: required ? 0 : 1 };
  }
}

/**
 * Builds `targets` into build/`folder`. Output goes to a file and its end is shown after a failure, since compilers
 * print pages of warnings here.
 *
 * @returns {boolean} whether it was built
 */
export function build(suite, folder, definitions, targets) {
  const started = Date.now();
  const log = path.join(output, `${suite}-${folder}-build.log`);
  const file = openSync(log, 'w');
  const into = path.join('build', folder);
  const generator = generatorArguments(path.join(root, into));
  const parallel = String(os.availableParallelism());
  const built =
    execute('cmake', ['-S', '.', '-B', into, ...generator, ...definitions], {}, file) &&
    execute('cmake', ['--build', into, '--parallel', parallel, '--target', ...targets], {}, file);
  closeSync(file);
  if (!built) console.error(readFileSync(log, 'utf8').slice(-20_000));
  console.log(`${suite}: ${folder} ${built ? 'built' : 'NOT BUILT'} in ${seconds(started)}; ${log} says how`);
  return built;
}

/**
 * Runs ctests of build/`folder`.
 *
 * @param {{ suite: string, folder: string, title?: string, environment?: Record<string, string>,
 *   launcher?: readonly string[], args?: readonly string[], limitMs?: number }} options `title` names this run among
 *   others of the suite
 * @returns {Counts}
 */
export function test(options) {
  const { suite, folder, title = folder, environment = {}, launcher = [], args = [], limitMs } = options;
  const started = Date.now();
  const report = path.join(output, `${suite}-${title}.xml`);
  rmSync(report, { force: true });
  const [command, ...rest] = [...launcher, 'ctest', '--test-dir', path.join('build', folder)];
  const parallel = ['--parallel', String(os.availableParallelism())];
  const ended = execute(
    command,
    [...rest, ...parallel, ...args, '--output-on-failure', '--output-junit', report],
    // The tiny models of the ordinary build, if it is there: these builds make them slowly.
    { INKLING_TINY_MODELS: path.join(root, 'build/tiny-models'), ...environment },
    'inherit',
    limitMs,
  );
  const counts = ctestCounts(report);
  console.log(`${suite}: ${title} ran ${counts.passed + counts.failed} tests in ${seconds(started)}`);
  const isComplete = ended || counts.failed > 0;
  return isComplete && counts.passed + counts.failed > 0 ? counts : { ...counts, failed: counts.failed + 1 };
}

/** @returns {Counts} */
export function sum(all) {
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const counts of all) {
    for (const key of Object.keys(total)) total[key] += counts[key];
  }
  return total;
}

function execute(command, args, environment = {}, target = 'inherit', limitMs = STEP_TIME_LIMIT_MS) {
  const { status, signal, error } = spawnSync(command, args, {
    cwd: root,
    stdio: ['ignore', target, target],
    env: { ...process.env, ...environment },
    timeout: limitMs,
  });
  if (signal === 'SIGINT') throw new Error(`${command} was ended by Ctrl+C`);
  if (error) console.error(`${command}: ${error.message}`);
  return status === 0;
}

export function succeeds(command, args) {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0;
}

function seconds(since) {
  return `${((Date.now() - since) / 1000).toFixed(1)} s`;
}
