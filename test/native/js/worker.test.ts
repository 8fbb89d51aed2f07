import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { addonFile, STARTER_MODEL, testedFlavours } from '../../support/addon.js';
import { runProgram } from '../../support/servers/run-program.js';
import { REPOSITORY_ROOT } from '../../support/source-tree.js';

const PROGRAM = path.join(REPOSITORY_ROOT, 'test/native/js/programs/worker-scenarios.mjs');

describe.each(testedFlavours())('worker threads (%s)', (flavour) => {
  test.each([
    'terminateWhileGenerating',
    'terminateWhileLoading',
    'terminateWhileTokenizing',
    'terminateWhileClosing',
    'exitInWorker',
    'workerEnds',
    'othersGoOn',
    'exitWithBusyWorkers',
  ])('%s', async (scenario) => {
    const end = await runProgram(PROGRAM, [addonFile(flavour), STARTER_MODEL, scenario]);
    expect(end).toEqual({ code: 0, signal: null, output: 'ok\n', errors: '' });
  });
});
