import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { addonFile, STARTER_MODEL, testedFlavours } from '../../support/addon.js';
import { type ProgramEnd, runProgram } from '../../support/servers/run-program.js';
import { REPOSITORY_ROOT } from '../../support/source-tree.js';

const PROGRAM = path.join(REPOSITORY_ROOT, 'test/native/js/programs/process-scenarios.mjs');

describe.each(testedFlavours())('a process (%s)', (flavour) => {
  function run(scenario: string, milliseconds = 0, nodeOptions: readonly string[] = []): Promise<ProgramEnd> {
    return runProgram(PROGRAM, [addonFile(flavour), STARTER_MODEL, scenario, String(milliseconds)], nodeOptions);
  }

  describe('that calls process.exit ends with that code', () => {
    test.each([
      ['exitWhileGenerating', 0],
      ['exitWhileGenerating', 5],
      ['exitWhileGenerating', 30],
      ['exitWhileGenerating', 120],
      ['exitFromListener', 0],
      ['exitWhileLoading', 0],
      ['exitWhileLoading', 10],
      ['exitWhileLoading', 40],
      ['exitWhileLoading', 80],
      ['exitFromProgress', 0],
      ['exitWhileTokenizing', 0],
      ['exitWhileTokenizing', 20],
      ['exitWhileClosing', 0],
      ['exitWhileClosing', 5],
      ['exitWithIdleEngines', 0],
    ])('%s after %i ms', async (scenario, milliseconds) => {
      expect(await run(scenario, milliseconds)).toEqual({ code: 0, signal: null, output: '', errors: '' });
    });
  });

  test('that throws while it generates ends with code 1, not with a signal', async () => {
    expect(await run('throwWhileGenerating', 20)).toMatchObject({
      code: 1,
      signal: null,
      errors: expect.stringContaining('nobody catches this'),
    });
  });

  describe('that has nothing else to do', () => {
    test.each([
      ['idleEngineLetsGo', 'idle'],
      ['emptyEngineLetsGo', 'idle'],
      ['failedLoadLetsGo', 'fileNotFound'],
      ['generationKeepsAlive', 'maxTokens'],
      ['loadKeepsAlive', 'qwen35'],
    ])('%s: %s', async (scenario, output) => {
      expect(await run(scenario)).toEqual({ code: 0, signal: null, output: `${output}\n`, errors: '' });
    });
  });

  test.runIf(process.platform === 'linux')('without memory for a text gets errors, and goes on', async () => {
    expect(await run('noRoomForText')).toEqual({
      code: 0,
      signal: null,
      output: `${'outOfMemory\n'.repeat(4)}notLoaded\n`,
      errors: '',
    });
  });

  test('that cannot make a result rejects its promise, and still gets the others', async () => {
    expect(await run('resultThatCannotBeMade')).toEqual({
      code: 0,
      signal: null,
      output: 'no room for stopReason, maxTokens\nno room for swapBudgetBytes\n',
      errors: '',
    });
  });

  describe('that drops an engine without closing it', () => {
    test('gets its memory back', async () => {
      expect(await run('garbage', 0, ['--expose-gc'])).toEqual({
        code: 0,
        signal: null,
        output: 'plain, round 0, round 1, round 2, round 3\nmemory freed\n',
        errors: '',
      });
    });

    test('gets it back even if its log listener refers to it', async () => {
      expect(await run('garbageWithLog', 0, ['--expose-gc'])).toMatchObject({ code: 0, output: 'cycle\n' });
    });

    test('still gets the answer of a running generation', async () => {
      expect(await run('garbageWhileGenerating', 0, ['--expose-gc'])).toMatchObject({ code: 0, output: 'maxTokens\n' });
    });
  });
});
