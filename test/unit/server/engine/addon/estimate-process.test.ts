import { readFileSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  EstimateProcess,
  type EstimateProcessOptions,
} from '../../../../../server/src/engine/addon/estimate-process.js';
import { isAlive } from '../../../../../server/src/util/files/is-alive.js';
import { TemporaryFolder } from '../../../../support/temporary-folder.js';
import { SILENT } from '../../scripted-engine.js';

/** Answers with its own process id, crashes, stays silent or refuses, depending on the path. */
const PROGRAM = `
process.on('disconnect', () => process.exit());
process.on('message', ({ options }) => {
  switch (options.path) {
    case '/dies': process.stderr.write('GGML_ASSERT(false)\\n', () => process.abort()); break;
    case '/hangs': break;
    case '/refused': process.send({ error: { code: 'notGguf', message: 'No GGUF' } }); break;
    default: process.send({ estimate: { neededBytes: process.pid, flags: process.argv.slice(2) } });
  }
});
process.send('hello');
`;

let folder: TemporaryFolder;
let estimates: EstimateProcess;
let warnings: string[];

beforeEach(() => {
  folder = new TemporaryFolder();
  warnings = [];
  estimates = started();
});
afterEach(() => {
  estimates.dispose();
  folder.dispose();
});

type Limits = Pick<EstimateProcessOptions, 'idleMs' | 'limitMs' | 'startLimitMs'>;

function started(limits: Limits = {}): EstimateProcess {
  const program = folder.file('program.cjs');
  writeFileSync(program, PROGRAM);
  const log = { ...SILENT, warn: (message: string) => warnings.push(message) };
  return new EstimateProcess({ program, environment: process.env, log, ...limits });
}

const ask = async (path: string) => (await estimates.estimate({ path })).neededBytes;

it('answers many questions in one separate process', async () => {
  const pids = await Promise.all(['/a', '/b', '/c'].map(ask));
  expect(new Set(pids).size).toBe(1);
  expect(pids[0]).not.toBe(process.pid);
  expect(await estimates.estimate({ path: '/a' })).toMatchObject({ flags: ['--estimates'] });
});

it("passes on the engine's error", async () => {
  await expect(ask('/refused')).rejects.toMatchObject({ code: 'notGguf', message: 'No GGUF' });
});

it('survives a file that ends the process, without affecting others', async () => {
  const outcomes = await Promise.allSettled(['/a', '/dies', '/b'].map(ask));
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(outcomes[1]).toMatchObject({ reason: { code: 'loadFailed', message: expect.stringContaining('dies') } });
  expect(warnings[0]).toContain('GGML_ASSERT');
});

it('limits its wait', async () => {
  estimates = started({ limitMs: 300 });
  const [hanging, next] = await Promise.allSettled([ask('/hangs'), ask('/a')]);
  expect(hanging).toMatchObject({ status: 'rejected', reason: { code: 'loadFailed' } });
  expect(next.status).toBe('fulfilled');
});

it('ends without questions, and starts again for the next question', async () => {
  estimates = started({ idleMs: 20 });
  const pid = await ask('/a');
  await expect.poll(() => isAlive(pid)).toBe(false);
  expect(await ask('/a')).not.toBe(pid);
});

it('ends with the server', async () => {
  const pid = await ask('/a');
  estimates.dispose();
  await expect.poll(() => isAlive(pid)).toBe(false);
  await expect(ask('/a')).rejects.toMatchObject({ code: 'closed' });
});

it('reports a missing program', async () => {
  estimates = new EstimateProcess({ program: folder.file('none.cjs'), environment: process.env, log: SILENT });
  await expect(ask('/a')).rejects.toMatchObject({ code: 'internal', message: expect.stringContaining('none.cjs') });
});

it('limits the wait for its start, and starts again for the next question', async () => {
  estimates = started({ startLimitMs: 1_500 });
  const pidFile = folder.file('pid');
  const silent = `require('node:fs').writeFileSync(${JSON.stringify(pidFile)}, String(process.pid));`;
  writeFileSync(folder.file('program.cjs'), `${silent} process.on('disconnect', () => process.exit());`);
  const failure = { status: 'rejected', reason: { code: 'internal', message: expect.stringContaining('too long') } };
  expect(await Promise.allSettled(['/a', '/b'].map(ask))).toMatchObject([failure, failure]);
  const pid = Number(readFileSync(pidFile, 'utf8'));
  await expect.poll(() => isAlive(pid)).toBe(false);
  writeFileSync(folder.file('program.cjs'), PROGRAM);
  expect(await ask('/c')).toBeGreaterThan(0);
}, 60_000);
