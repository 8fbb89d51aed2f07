import { describe, expect, it } from 'vitest';
import { CtestProgress } from '../../../support/suites/ctest.mjs';

/** As ctest 3.25 prints it without a terminal. */
const OUTPUT = `Test project /inkling/build/address
      Start  1: tiny_models
 1/9 Test  #1: tiny_models ......................   Passed    0.40 sec
      Start  2: engine_test
      Start  3: swap_test
 2/9 Test  #2: engine_test ......................***Failed    1.02 sec
  check.h:3: ERROR: AddressSanitizer: heap-use-after-free

 3/9 Test  #3: swap_test ........................Subprocess aborted***Exception:   0.02 sec
      Start  4: a_test
      Start  5: b_test
 4/9 Test  #4: a_test ...........................***Timeout   9.20 sec
 5/9 Test  #5: b_test ...........................***Skipped   0.02 sec
      Start  6: c_test
`;

function countsOf(...chunks: string[]) {
  const progress = new CtestProgress();
  for (const chunk of chunks) progress.add(chunk);
  return progress.counts;
}

describe('the counts of a ctest run that was ended', () => {
  it('are those of the tests with a result, wherever the output was cut; the others are skipped', () => {
    const expected = { passed: 1, failed: 3, skipped: 5 };
    expect(countsOf(OUTPUT)).toEqual(expected);
    expect(countsOf(...OUTPUT)).toEqual(expected);
  });

  it('take a test that was ended with it for skipped', () => {
    const ended = ' 6/9 Test  #6: c_test ...........................Subprocess terminated***Exception:   0.02 sec\n';
    expect(countsOf(OUTPUT, ended)).toEqual({ passed: 1, failed: 3, skipped: 5 });
  });

  it('have one skipped where no test has a result', () => {
    expect(countsOf('')).toEqual({ passed: 0, failed: 0, skipped: 1 });
  });
});
