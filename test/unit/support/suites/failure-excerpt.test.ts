import { describe, expect, it } from 'vitest';
import { FailureExcerpt } from '../../../support/suites/failure-excerpt.mjs';

function excerptOf(...chunks: string[]): string[] {
  const excerpt = new FailureExcerpt();
  for (const chunk of chunks) excerpt.add(chunk);
  return excerpt.lines();
}

describe('what a suite printed of its failures', () => {
  it.each([
    [
      'vitest',
      '\u001b[41m FAIL \u001b[49m protocol test/a.test.ts > a title',
      ' FAIL  protocol test/a.test.ts > a title',
    ],
    ['the workbench', '  FAILED  1.2 s  chat: a title', '  FAILED  1.2 s  chat: a title'],
    [
      'ctest',
      '2/9 Test #2: run_test ....***Failed\nThe following tests FAILED:\n\t 2 - run_test',
      'The following tests FAILED:',
    ],
    ['a driver', 'fuzz: FOUND by settings: a property', 'fuzz: FOUND by settings: a property'],
  ])('is found in the output of %s', (_name, output, line) => {
    expect(excerptOf(`before\n${output}\n`)[0]).toBe(line);
  });

  it('does not take a count or a passed test for one', () => {
    const output = '== sanitize: FAILED, 1 passed, 2 failed, 0 skipped\n  passed  says what failed\n';
    expect(excerptOf(output)).toEqual(output.trimEnd().split('\n'));
  });

  it('has the lines behind each name, wherever the output was cut', () => {
    const behind = Array.from({ length: 30 }, (_, index) => `line ${index}`);
    const output = ['a', ' FAIL  one', ...behind, ' FAIL  two', 'Error: why not'].join('\n');
    const expected = [' FAIL  one', ...behind.slice(0, 20), ' FAIL  two', 'Error: why not'];
    expect(excerptOf(output)).toEqual(expected);
    expect(excerptOf(...output)).toEqual(expected);
  });

  it('is the end of the output where nothing is named, and never long', () => {
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index}`);
    expect(excerptOf(lines.join('\n'))).toEqual(lines.slice(-20));
    expect(excerptOf(lines.map((line) => `FAILED ${line}`.padEnd(1000, '.')).join('\n'))).toHaveLength(60);
  });
});
