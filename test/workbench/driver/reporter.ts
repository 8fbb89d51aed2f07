import Mocha from 'mocha';

const { EVENT_HOOK_END, EVENT_TEST_END, EVENT_TEST_FAIL, EVENT_TEST_RETRY } = Mocha.Runner.constants;

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** One line per test with its time, followed by the error if it failed. */
export class LineReporter extends Mocha.reporters.Base {
  constructor(runner: Mocha.Runner) {
    super(runner);
    runner.on(EVENT_TEST_END, (test) => {
      reportTest(test.titlePath(), test.state, test.duration);
    });
    runner.on(EVENT_TEST_FAIL, (test, error: Error) => {
      console.log(`  FAILED  ${test.titlePath().join(': ')}\n${indent(error.stack ?? error.message)}`);
    });
    // Mocha tells a retry as an event with the same arguments as a failure.
    runner.on(EVENT_TEST_RETRY, (test: Mocha.Test, error: Error) => {
      console.log(`  once more  ${test.titlePath().join(': ')}\n${indent(error.stack ?? error.message)}`);
    });
    runner.on(EVENT_HOOK_END, (hook) => {
      if (hook.state === 'failed') reportTest(hook.titlePath(), hook.state, hook.duration);
    });
  }
}

export function reportTest(title: readonly string[], state: string | undefined, durationMs: number | undefined): void {
  const mark = state === 'passed' ? 'passed' : state === 'failed' ? 'FAILED' : 'skipped';
  const time = `${((durationMs ?? 0) / 1000).toFixed(1)} s`;
  console.log(`  ${mark.padEnd(7)} ${time.padStart(7)}  ${title.join(': ')}`);
}

/** Skips the running test, and says why. */
export function skipBecause(context: Mocha.Context, reason: string): never {
  console.log(`  NOT CHECKED  ${context.test?.titlePath().join(': ')}: ${reason}`);
  context.skip();
}

export function indent(text: string): string {
  return text.replaceAll(/^/gm, '      ');
}

export function countsOf(stats: Mocha.Stats | undefined): Counts {
  return { passed: stats?.passes ?? 0, failed: stats?.failures ?? 0, skipped: stats?.pending ?? 0 };
}

export function sum(counts: readonly Counts[]): Counts {
  return counts.reduce((a, b) => ({
    passed: a.passed + b.passed,
    failed: a.failed + b.failed,
    skipped: a.skipped + b.skipped,
  }));
}
