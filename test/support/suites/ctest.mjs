// Reads the counts of a ctest run from the report that `--output-junit` writes, or from its output if it was ended before.
import { existsSync, readFileSync } from 'node:fs';

/** All zero without a report. `passed` are those that neither failed nor were skipped. */
export function ctestCounts(report) {
  const header = existsSync(report) ? (readFileSync(report, 'utf8').match(/<testsuite\b[^>]*>/)?.[0] ?? '') : '';
  const count = (name) => Number(header.match(new RegExp(`\\b${name}="(\\d+)"`))?.[1] ?? 0);
  const failed = count('failures');
  const skipped = count('skipped') + count('disabled');
  return { passed: count('tests') - failed - skipped, failed, skipped };
}

/** Such as ` 3/11 Test  #3: a_test .....***Failed    0.02 sec`. */
const RESULT = /^ *\d+\/(\d+) Test +#\d+: \S+ [ .]*(.*\S) +[\d.]+ sec/;

export class CtestProgress {
  #rest = '';
  #total = 0;
  #passed = 0;
  #failed = 0;

  /** @param {string} chunk of the output, cut anywhere */
  add(chunk) {
    const lines = `${this.#rest}${chunk}`.split('\n');
    this.#rest = lines.pop() ?? '';
    for (const line of lines) {
      const [, total = '', result = ''] = RESULT.exec(line) ?? [];
      if (result === '') continue;
      this.#total = Number(total);
      if (result === 'Passed') this.#passed += 1;
      // What was ended with ctest has not failed.
      else if (!/^(Subprocess terminated|\*\*\*(Skipped|Not Run))/.test(result)) this.#failed += 1;
    }
  }

  /** `skipped` are also the tests without a result; 1 where none has one. */
  get counts() {
    const done = this.#passed + this.#failed;
    return { passed: this.#passed, failed: this.#failed, skipped: Math.max(this.#total, 1) - done };
  }
}
