import { describe, expect, it } from 'vitest';
import { parseSoakArguments } from '../../soak/arguments.js';

describe('the arguments of the soak', () => {
  it('default to twenty minutes that must keep their aims', () => {
    expect(parseSoakArguments([])).toEqual({ kind: 'run', minutes: 20, seed: 2026, json: false, report: false });
  });

  it('are read in any order', () => {
    expect(parseSoakArguments(['--json', '--seed', '7', '--report', '--minutes', '4.5'])).toEqual({
      kind: 'run',
      minutes: 4.5,
      seed: 7,
      json: true,
      report: true,
    });
  });

  it.each([
    [['--minutes', '1'], /at least 4/],
    [['--minutes'], /at least 4/],
    [['--seed', 'x'], /whole number/],
    [['--hours', '1'], /--hours/],
  ])('refuse %j', (args, message) => {
    expect(parseSoakArguments(args)).toMatchObject({ kind: 'mistake', message: expect.stringMatching(message) });
  });
});
