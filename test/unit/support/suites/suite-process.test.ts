import { afterEach, describe, expect, it, vi } from 'vitest';
import { SuiteProcess } from '../../../support/suites/suite-process.mjs';

const LIMIT_MS = 60_000;

function run(code: string, isBackground = false): SuiteProcess {
  return new SuiteProcess(process.execPath, ['-e', code], { cwd: process.cwd(), limitMs: LIMIT_MS, isBackground });
}

function shownText(): string {
  return vi
    .mocked(process.stdout.write)
    .mock.calls.map(([chunk]) => String(chunk))
    .join('');
}

describe("a suite's process", () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('shows what it prints, and keeps the end and the lines that name failures', async () => {
    vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    const { ended } = run("console.log('  FAILED  a test'); console.log('unit: 1 passed'); process.exitCode = 3");
    expect(await ended).toMatchObject({
      exitCode: 3,
      lastLines: ['  FAILED  a test', 'unit: 1 passed'],
      failures: ['  FAILED  a test', 'unit: 1 passed'],
      namesFailure: true,
    });
    expect(shownText()).toContain('unit: 1 passed\n');
  });

  it('shows in the background nothing until it is asked for', async () => {
    vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    const process_ = run("console.log('quiet')", true);
    expect(await process_.ended).toMatchObject({ exitCode: 0, lastLines: ['quiet'], namesFailure: false });
    expect(shownText()).toBe('');
    process_.show();
    expect(shownText()).toBe('quiet\n');
  });

  it.skipIf(process.platform === 'win32')('leaves the processor to others in the background', async () => {
    const ask = "console.log(require('node:os').getPriority())";
    expect((await run(ask, true).ended).lastLines).toEqual(['19']);
  });

  it.runIf(process.platform === 'linux')('ends in the background with all that it has started', async () => {
    const wait = 'setInterval(() => {}, 1e3)';
    const child = `process.on('SIGTERM', () => { console.log('child ended'); process.exit() }); ${wait}; console.log('runs')`;
    const parent = run(
      `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(child)}], { stdio: 'inherit' }); ${wait}`,
      true,
    );
    vi.spyOn(console, 'error').mockReturnValue();
    vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    parent.show();
    await vi.waitUntil(() => shownText().includes('runs'), { timeout: LIMIT_MS });
    parent.end();
    expect(await parent.ended).toMatchObject({ lastLines: ['runs', 'child ended'] });
  });

  it('ends with the runner, in front as in the background', async () => {
    vi.spyOn(console, 'error').mockReturnValue();
    vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    const wait = "setInterval(() => {}, 1e3); console.log('runs')";
    const both = [run(wait), run(wait, true)];
    for (const each of both) each.show();
    // GNU's timeout leaves a program behind that it is just starting.
    await vi.waitUntil(() => shownText() === 'runs\nruns\n', { timeout: LIMIT_MS });
    SuiteProcess.endAll();
    for (const each of both) expect(await each.ended).not.toMatchObject({ exitCode: 0 });
  });

  it('says that a program cannot be started', async () => {
    vi.spyOn(console, 'error').mockReturnValue();
    const { ended } = new SuiteProcess('no-such-program', [], { cwd: process.cwd(), limitMs: LIMIT_MS });
    expect(await ended).toMatchObject({ exitCode: 1, failures: [expect.stringContaining('ENOENT')] });
  });
});
