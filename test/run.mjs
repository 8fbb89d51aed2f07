// The suites of the project, one after the other; test/README.md has the tiers.
//
//   npm test                         what a change must pass: minutes
//   npm test -- --all                everything, with long loops, sanitizers and fuzzing: half an hour, as CI runs it
//   npm test -- --only unit,model    these suites; with --all at full length
//
// Builds what a suite needs first. The last line is exactly `N passed, N failed, N skipped`; the exit code is 1 if
// anything failed.
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { ensureBuilt } from './support/ensure-built.mjs';
import { ctestCounts } from './support/suites/ctest.mjs';
import { SuiteProcess } from './support/suites/suite-process.mjs';

const root = path.resolve(import.meta.dirname, '..');
const output = path.join(root, 'test/.output');
const SUITE_TIME_LIMIT_MS = 30 * 60_000;
const STARTED = Date.now();
/** Of all suites: who waits for the result sees what took the time. Below the limit of `.ci/run`. */
const DEADLINE = STARTED + 88 * 60_000;
/** From here on a slow machine leaves out the suites that say so. Two idle cores are done by then. */
const LEAVE_OUT_AFTER_MS = 45 * 60_000;
/** From here on it ends such a suite that has begun. */
const END_AFTER_MS = 50 * 60_000;
/** From here on nothing begins beside others: it would make a slow machine slower. */
const BESIDE_BEFORE_MS = 15 * 60_000;

/** The same inputs in each run: a change is judged by what it changes. `npm run fuzz` looks for new ones. */
const FUZZ_SEED = '19';

/** What a check ends with where the machine lacks what it needs. */
const CANNOT_RUN_HERE = 77;

/** How the reason begins why a slow machine skips a suite. */
const SLOW = 'this machine is slow';

const PACKAGES = 'npm packages';
const NATIVE = 'native addon';
const BUNDLES = 'bundles';
const LLAMA_SERVER = 'llama-server';
/** Begins beside the suites that need the native build, where the workbench must run: it waits for the network. */
const INSTALLATION = 'workbench installation';

/**
 * `atScale`: what a suite also needs under `--all`. `leftOutIfSlow`: it finds what a faster machine finds as well, and is skipped where the others took too long.
 * `besideAfter`: it begins after that suite, in the background, and is waited for when its turn comes. On a slow machine
 * it begins when its turn comes.
 */
const suites = [
  { name: 'check', needs: [], run: runChecks },
  { name: 'layout', needs: [], run: () => runVitest('layout') },
  { name: 'unit', needs: [], run: () => runVitest('unit') },
  { name: 'native-cpp', needs: [NATIVE], run: runCtest },
  { name: 'native-js', needs: [NATIVE], atScale: [LLAMA_SERVER], run: () => runVitest('native-js') },
  { name: 'model', needs: [NATIVE], run: () => runVitest('model') },
  { name: 'protocol', needs: [NATIVE, BUNDLES], atScale: [LLAMA_SERVER], run: () => runVitest('protocol') },
  {
    name: 'workbench',
    needs: [NATIVE, BUNDLES],
    driver: (all) => ['test/workbench/run.mjs', ...(all ? ['--install'] : [])],
  },
  // Last, since it takes longest and finds the least visible faults. It uses the tiny models of native-cpp. The suites
  // after that wait for timers and browsers half of the time.
  {
    name: 'sanitize',
    needs: [NATIVE],
    onlyAsked: true,
    leftOutIfSlow: true,
    besideAfter: 'native-cpp',
    driver: () => ['test/sanitize.mjs'],
  },
  {
    name: 'fuzz',
    needs: [NATIVE, BUNDLES],
    onlyAsked: true,
    leftOutIfSlow: true,
    driver: () => ['test/fuzz.mjs', '--minutes', '2', '--seed', FUZZ_SEED],
  },
];

/**
 * @typedef {{ passed: number, failed: number, skipped: number, reason?: string, failures?: string[] }} Counts
 * `reason` says why a whole suite was skipped; `failures` are lines of its output that name what failed.
 */

async function main() {
  const { chosen, all } = chooseSuites(process.argv.slice(2));
  process.env.INKLING_TEST_SCALE ??= all ? 'full' : 'quick';
  const withLlamaServer = all || process.env.INKLING_LLAMA_SERVER === 'required';
  mkdirSync(output, { recursive: true });
  const results = [];
  const record = (name, counts, seconds) => {
    const result = { name, seconds, ...counts };
    results.push(result);
    console.log(`== ${name}: ${describe(result)} in ${seconds.toFixed(1)} s`);
  };
  const made = new Set();
  const broken = new Set();
  const background = new Background();

  for (const [turn, suite] of chosen.entries()) {
    const started = Date.now();
    const secondsSince = () => (Date.now() - started) / 1000;
    const later = chosen.slice(turn);
    const isFast = started - STARTED < BESIDE_BEFORE_MS;
    for (const { name, besideAfter, needs, driver } of later.slice(1)) {
      const isDue = besideAfter !== undefined && later.every((each) => each.name !== besideAfter);
      if (isDue && isFast && needs.every((step) => made.has(step))) background.start(name, driver(all));
    }
    const installs = process.env.INKLING_WORKBENCH === 'required' && later.slice(1).some(hasWorkbench);
    if (installs && isFast && made.has(NATIVE)) background.start(INSTALLATION, ['test/workbench/install.mjs']);
    if (hasWorkbench(suite)) await background.endOf(INSTALLATION);
    if (suite.leftOutIfSlow && started - STARTED > LEAVE_OUT_AFTER_MS && !background.has(suite.name)) {
      record(suite.name, leftOut(), 0);
      continue;
    }
    if (started > DEADLINE) {
      console.error(`${suite.name}: not run, since the suites before it took too long`);
      record(suite.name, { passed: 0, failed: 1, skipped: 0 }, 0);
      continue;
    }
    const needs = [PACKAGES, ...suite.needs, ...(withLlamaServer ? (suite.atScale ?? []) : [])];
    for (const step of needs.filter((each) => !broken.has(each))) {
      try {
        await background.endOf(step);
        ensureBuilt([step]);
        made.add(step);
      } catch (error) {
        console.error(error.message);
        broken.add(step);
        record(`build of ${step}`, { passed: 0, failed: 1, skipped: 0 }, secondsSince());
      }
    }
    // The checks and the unit tests leave a core idle now and then, and need no native build.
    if (!needs.includes(NATIVE) && later.some((each) => each.needs.includes(NATIVE))) {
      background.start(NATIVE, ['test/support/ensure-built.mjs', NATIVE]);
    }
    // Without llama-server only the tests against it are skipped.
    const lacking = [PACKAGES, ...suite.needs].filter((step) => broken.has(step));
    if (lacking.length > 0) {
      const reason = `no ${lacking.join(', no ')}`;
      record(suite.name, { passed: 0, failed: 0, skipped: 1, reason }, secondsSince());
      continue;
    }
    console.log(`\n== ${suite.name}`);
    if (suite.driver === undefined) record(suite.name, await suite.run(all), secondsSince());
    else {
      const { counts, seconds } = await runDriver(suite, all, background);
      record(suite.name, counts, seconds);
    }
  }
  return summarize(results);
}

/** What runs beside the suites, by its name. */
class Background {
  /** @type {Map<string, SuiteProcess>} */
  #processes = new Map();

  has(name) {
    return this.#processes.has(name);
  }

  get(name) {
    return this.#processes.get(name);
  }

  start(name, args) {
    if (!this.has(name)) this.#processes.set(name, newProcess(process.execPath, args, true));
  }

  async endOf(name) {
    const running = this.get(name);
    running?.show();
    await running?.ended;
  }
}

function hasWorkbench({ name }) {
  return name === 'workbench';
}

function leftOut() {
  const minutes = Math.round((Date.now() - STARTED) / 60_000);
  return { passed: 0, failed: 0, skipped: 1, reason: `${SLOW}: the run has taken ${minutes} minutes` };
}

function chooseSuites(args) {
  const usage = `usage: npm test [-- [--all] [--only NAME,NAME]]; the suites are ${suites.map(({ name }) => name).join(', ')}`;
  const all = args.includes('--all');
  const rest = args.filter((each) => each !== '--all');
  if (rest.length === 0) return { all, chosen: suites.filter(({ onlyAsked = false }) => all || !onlyAsked) };
  const names = rest[0] === '--only' && rest.length === 2 ? rest[1].split(',') : [];
  const unknown = names.filter((name) => !suites.some((suite) => suite.name === name));
  if (names.length === 0 || unknown.length > 0) {
    console.error(unknown.length > 0 ? `no suite is called ${unknown.join(', ')}\n${usage}` : usage);
    process.exit(2);
  }
  return { all, chosen: suites.filter(({ name }) => names.includes(name)) };
}

function summarize(results) {
  for (const { name, failed, failures = [] } of results) {
    if (failed > 0) console.log(`\n${name} failed:\n  ${failures.join('\n  ')}`);
  }
  const width = Math.max(...results.map(({ name }) => name.length));
  console.log(`\n${'suite'.padEnd(width)}  passed  failed  skipped     time`);
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const { name, passed, failed, skipped, seconds, reason } of results) {
    const numbers = `${String(passed).padStart(6)}  ${String(failed).padStart(6)}  ${String(skipped).padStart(7)}`;
    const whySkipped = `  ${passed > 0 ? 'IN PART' : 'SKIPPED'}: ${reason}`;
    const note = failed > 0 ? '  FAILED' : reason === undefined ? '' : whySkipped;
    console.log(`${name.padEnd(width)}  ${numbers}  ${`${seconds.toFixed(1)} s`.padStart(7)}${note}`);
    total.passed += passed;
    total.failed += failed;
    total.skipped += skipped;
  }
  for (const { name, passed, failed, skipped, reason } of results.filter((each) => each.reason?.startsWith(SLOW))) {
    const part = passed + failed > 0 ? `${skipped} of its tests` : 'all of it';
    console.log(`NOT CHECKED by ${name}: ${part}, since ${reason}. Run it alone: npm test -- --only ${name}`);
  }
  console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
  return total.failed > 0 ? 1 : 0;
}

function describe({ passed, failed, skipped, reason }) {
  const isPartial = passed + failed > 0;
  if (reason !== undefined && !isPartial) return `SKIPPED (${reason})`;
  const counts = `${failed > 0 ? 'FAILED' : 'passed'}, ${passed} passed, ${failed} failed, ${skipped} skipped`;
  return reason === undefined ? counts : `${counts} (${reason})`;
}

/** Formatting, lint and types; the layout tests are a separate suite. */
async function runChecks() {
  const checks = [
    ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings'],
    ['test/support/clang-format.mjs'],
    ['node_modules/typescript/bin/tsc', '-b'],
    ['test/support/clang-tidy.mjs'],
  ];
  const counts = { passed: 0, failed: 0, skipped: 0, failures: [] };
  for (const check of checks) {
    const { exitCode, failures } = await execute(process.execPath, check);
    if (exitCode === 0) counts.passed += 1;
    else if (exitCode === CANNOT_RUN_HERE) counts.skipped += 1;
    else {
      counts.failed += 1;
      counts.failures.push(...failures);
    }
  }
  return counts;
}

async function runVitest(project) {
  const report = path.join(output, `${project}.json`);
  rmSync(report, { force: true });
  const { exitCode, failures } = await execute(process.execPath, [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--project',
    project,
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${report}`,
  ]);
  if (!existsSync(report)) return { passed: 0, failed: 1, skipped: 0, failures };
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = JSON.parse(readFileSync(report, 'utf8'));
  return withExitCode(
    { passed: numPassedTests, failed: numFailedTests, skipped: numPendingTests + numTodoTests, failures },
    exitCode,
  );
}

async function runCtest(all) {
  const report = path.join(output, 'native-cpp.xml');
  rmSync(report, { force: true });
  const { exitCode, failures } = await execute('ctest', [
    ...['--test-dir', 'build', '--build-config', 'Release', '--parallel', String(os.availableParallelism())],
    ...(all ? [] : ['--label-regex', '^quick$']),
    ...['--no-tests=error', '--output-on-failure', '--output-junit', report],
  ]);
  return withExitCode({ ...ctestCounts(report), failures }, exitCode);
}

/**
 * A driver checks itself whether this machine has what it needs (a browser, compilers with sanitizers), and prints what
 * is missing. It may have begun in the background.
 */
async function runDriver({ name, leftOutIfSlow = false, driver }, all, background) {
  // A suite that may be ended must take its children along, as those of the background do.
  if (leftOutIfSlow) background.start(name, driver(all));
  const running = background.get(name) ?? newProcess(process.execPath, driver(all));
  running.show();
  let isEnded = false;
  const end = () => {
    isEnded = true;
    running.end();
  };
  const limit = leftOutIfSlow ? setTimeout(end, STARTED + END_AFTER_MS - Date.now()) : undefined;
  const ended = await running.ended;
  clearTimeout(limit);
  const counts = driverCounts(name, ended) ?? (isEnded && !ended.namesFailure ? leftOut() : lostCounts(name, ended));
  // A driver that was ended may have counted what ran by then.
  const reason = isEnded && counts.skipped > 0 ? { reason: leftOut().reason } : {};
  return { counts: { ...counts, ...reason }, seconds: ended.seconds };
}

/** From the driver's last line that begins with the suite's name; null without one. */
function driverCounts(name, { exitCode, lastLines, failures }) {
  const line = lastLines.findLast((each) => each.startsWith(`${name}: `) && each.endsWith(' skipped')) ?? '';
  const [, passed, failed, skipped] = line.match(/: (\d+) passed, (\d+) failed, (\d+) skipped$/) ?? [];
  if (passed === undefined) return null;
  const counts = withExitCode(
    { passed: Number(passed), failed: Number(failed), skipped: Number(skipped), failures },
    exitCode,
  );
  const reason = lastLines
    .findLast((each) => each.startsWith(`${name}: SKIPPED: `))
    ?.slice(`${name}: SKIPPED: `.length);
  return counts.passed + counts.failed === 0 ? { ...counts, reason: reason ?? 'see its output above' } : counts;
}

function lostCounts(name, { failures }) {
  console.error(`the ${name} suite ended without its line of counts`);
  return { passed: 0, failed: 1, skipped: 0, failures };
}

/** A runner that fails without a failed test (an unloadable file, a crash) still counts as a failure. */
function withExitCode(counts, exitCode) {
  return exitCode !== 0 && counts.failed === 0 ? { ...counts, failed: 1 } : counts;
}

/** Runs a command in the root with its output shown. */
function execute(command, args) {
  return newProcess(command, args).ended;
}

function newProcess(command, args, isBackground = false) {
  const left = Math.max(1, DEADLINE - Date.now());
  const limitMs = isBackground ? left : Math.min(SUITE_TIME_LIMIT_MS, left);
  return new SuiteProcess(command, args, { cwd: root, limitMs, isBackground });
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.once(signal, () => {
    SuiteProcess.endAll();
    process.exit(1);
  });
}

process.exitCode = await main();
