// What suites with a CMake build of their own have in common (test/sanitize.mjs, test/emulated.mjs): they build into a
// folder below build, run ctests there, and end with the line `NAME: N passed, N failed, N skipped`. SIGTERM ends a suite
// too: what has passed or failed by then counts, and the rest as skipped.
import { spawn, spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { generatorArguments } from '../../../native/cmake-arguments.mjs';
import { CtestProgress, ctestCounts } from './ctest.mjs';

const root = path.resolve(import.meta.dirname, '../../..');
const output = path.join(root, 'test/.output');
// Limit for a build or a run; each takes five minutes on two cores, and much longer beside other suites.
const STEP_TIME_LIMIT_MS = 40 * 60_000;

/** The command that runs now. @type {import('node:child_process').ChildProcess | null} */
let running = null;
let isEnded = false;
// Not once: timeout sends it twice, to its child and to their group.
process.on('SIGTERM', () => {
  isEnded = true;
  running?.kill();
});

/** The reason why a suite does not run here. */
export class Unavailable extends Error {}

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */

/**
 * Runs a suite and prints its counts. The exit code is 1 if anything failed. A suite that cannot run here is skipped,
 * and says why; with `required` it then fails.
 *
 * @param {string} name
 * @param {boolean} required
 * @param {() => Promise<Counts>} main may throw Unavailable
 */
export async function runSuite(name, required, main) {
  const { passed, failed, skipped } = await guarded(name, required, main);
  console.log(`${name}: ${passed} passed, ${failed} failed, ${skipped} skipped`);
  process.exitCode = failed > 0 ? 1 : 0;
}

async function guarded(name, required, main) {
  try {
    mkdirSync(output, { recursive: true });
    return await main();
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
 * @returns {Promise<Counts | null>} null once they are built, or else what counts for their tests
 */
export async function build(suite, folder, definitions, targets) {
  const started = Date.now();
  const log = path.join(output, `${suite}-${folder}-build.log`);
  const file = openSync(log, 'w');
  const into = path.join('build', folder);
  const generator = generatorArguments(path.join(root, into));
  const parallel = String(os.availableParallelism());
  const isBuilt =
    (await execute('cmake', ['-S', '.', '-B', into, ...generator, ...definitions], { log: file })) &&
    (await execute('cmake', ['--build', into, '--parallel', parallel, '--target', ...targets], { log: file }));
  closeSync(file);
  if (isBuilt) {
    console.log(`${suite}: ${folder} built in ${seconds(started)}; ${log} says how`);
    return null;
  }
  if (isEnded) {
    console.log(`${suite}: NOT CHECKED: ${folder}, which was not built yet when the suite was ended`);
    return { passed: 0, failed: 0, skipped: 1 };
  }
  console.error(readFileSync(log, 'utf8').slice(-20_000));
  console.log(`${suite}: ${folder} NOT BUILT in ${seconds(started)}; ${log} says how`);
  return { passed: 0, failed: 1, skipped: 0 };
}

/**
 * Runs ctests of build/`folder`.
 *
 * @param {{ suite: string, folder: string, title?: string, environment?: Record<string, string>,
 *   launcher?: readonly string[], args?: readonly string[], limitMs?: number }} options `title` names this run among
 *   others of the suite
 * @returns {Promise<Counts>}
 */
export async function test(options) {
  const { suite, folder, title = folder, environment = {}, launcher = [], args = [], limitMs } = options;
  const started = Date.now();
  const report = path.join(output, `${suite}-${title}.xml`);
  rmSync(report, { force: true });
  const [command, ...rest] = [...launcher, 'ctest', '--test-dir', path.join('build', folder)];
  const parallel = ['--parallel', String(os.availableParallelism())];
  const progress = new CtestProgress();
  const isDone = await execute(
    command,
    [...rest, ...parallel, ...args, '--output-on-failure', '--output-junit', report],
    {
      // The tiny models of the ordinary build, if it is there: these builds make them slowly.
      environment: { INKLING_TINY_MODELS: path.join(root, 'build/tiny-models'), ...environment },
      onOutput: (chunk) => progress.add(chunk),
      limitMs,
    },
  );
  // A ctest that is ended writes no report.
  const counts = isEnded && !existsSync(report) ? progress.counts : ctestCounts(report);
  console.log(`${suite}: ${title} ran ${counts.passed + counts.failed} tests in ${seconds(started)}`);
  if (isEnded) {
    if (counts.skipped > 0)
      console.log(`${suite}: NOT CHECKED: ${counts.skipped} tests of ${title}, as the suite was ended`);
    return counts;
  }
  const isComplete = isDone || counts.failed > 0;
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

/**
 * Shows what the command prints, or writes it to the file `log`.
 *
 * @returns {Promise<boolean>} whether it succeeded; false where the suite has been ended before
 */
function execute(command, args, options) {
  const { environment = {}, log = null, onOutput = () => undefined, limitMs = STEP_TIME_LIMIT_MS } = options;
  if (isEnded) return Promise.resolve(false);
  return new Promise((resolve, reject) => {
    running = spawn(command, args, {
      cwd: root,
      stdio: log === null ? ['ignore', 'pipe', 'inherit'] : ['ignore', log, log],
      env: { ...process.env, ...environment },
      timeout: limitMs,
    });
    running.stdout?.setEncoding('utf8').on('data', (chunk) => {
      process.stdout.write(chunk);
      onOutput(chunk);
    });
    running.on('error', (error) => {
      console.error(`${command}: ${error.message}`);
      resolve(false);
    });
    running.on('close', (status, signal) => {
      if (signal === 'SIGINT') reject(new Error(`${command} was ended by Ctrl+C`));
      else resolve(status === 0);
    });
  });
}

export function succeeds(command, args) {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0;
}

function seconds(since) {
  return `${((Date.now() - since) / 1000).toFixed(1)} s`;
}
