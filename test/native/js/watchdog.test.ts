import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { addonFile, testedFlavours } from '../../support/addon.js';
import { type ProgramEnd, runProgram } from '../../support/servers/run-program.js';
import { REPOSITORY_ROOT } from '../../support/source-tree.js';

const PROGRAM = path.join(REPOSITORY_ROOT, 'test/native/js/programs/watchdog-scenarios.mjs');

describe.each(testedFlavours())('the watchdog (%s)', (flavour) => {
  function run(scenario: string, nodeOptions: readonly string[] = []): Promise<ProgramEnd> {
    return runProgram(PROGRAM, [addonFile(flavour), scenario], nodeOptions);
  }

  test('ends a process whose loop stands still', async () => {
    const errors = 'inkling: the process ends, as its JavaScript loop stands still\n';
    expect(await run('stuckLoop')).toEqual({ code: 1, signal: null, output: '', errors });
  });

  test.each(['turningLoop', 'busyLoop', 'stoppedWatchdog', 'workers'])('spares a process: %s', async (scenario) => {
    expect(await run(scenario)).toEqual({ code: 0, signal: null, output: 'alive\n', errors: '' });
  });

  test.skipIf(process.platform === 'win32')('ends a process whose loop stands still 2 s after SIGTERM', async () => {
    const errors = 'inkling: the process ends, as it was asked to, and its JavaScript loop stands still\n';
    expect(await run('stuckAfterSignal')).toEqual({ code: 1, signal: null, output: '', errors });
  });

  test.skipIf(process.platform === 'win32')(
    'leaves SIGTERM to a loop that turns, and to a process without one',
    async () => {
      for (const scenario of ['turningAfterSignal', 'signalAfterStop']) {
        expect(await run(scenario)).toEqual({ code: 0, signal: null, output: 'alive\n', errors: '' });
      }
      expect(await run('unwatchedSignal')).toEqual({ code: null, signal: 'SIGTERM', output: '', errors: '' });
    },
  );

  test.each(['exitAtOnce', 'naturalEnd'])('delays no end: %s', async (scenario) => {
    expect(await run(scenario)).toEqual({ code: 0, signal: null, output: '', errors: '' });
  });

  test('goes with its object', async () => {
    expect(await run('garbage', ['--expose-gc'])).toMatchObject({ code: 0, output: 'alive\n' });
  });

  // The streams stay open until the orphan has ended too.
  test.each(['orphan', 'stuckOrphan'])('ends an %s whose parent was killed', async (scenario) => {
    const errors = 'inkling: the process ends, as its client is gone\n';
    expect(await run(scenario)).toEqual({ code: null, signal: 'SIGKILL', output: '', errors });
  });

  test('ends a process whose client was killed, and not before', async () => {
    expect(await run('lostClient')).toMatchObject({ code: 1, signal: null, output: 'client lives\n' });
  });

  test('names a bad argument', async () => {
    const { output } = await run('badArguments');
    expect(output.trim().split('\n')).toEqual([
      expect.stringContaining('options'),
      expect.stringContaining('options.stallMs'),
      expect.stringContaining('options.abandonedMs'),
      expect.stringContaining('processId'),
      expect.stringContaining('processId'),
      expect.stringContaining('processId'),
    ]);
  });
});
