import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { isRunning, linuxStart, OWN_PROCESS, startOf } from '../../../../../server/src/util/files/process-identity.js';

it('knows a running process by its id and start', () => {
  expect(isRunning(OWN_PROCESS)).toBe(true);
  expect(isRunning({ pid: process.ppid, start: startOf(process.ppid) })).toBe(true);
  expect(isRunning({ pid: process.ppid, start: null })).toBe(true);
});

it.skipIf(OWN_PROCESS.start === null)('does not take a later process for the one that had its id', () => {
  expect(isRunning({ ...OWN_PROCESS, start: '1' })).toBe(false);
});

it('knows that a process has ended', async () => {
  const child = spawn(process.execPath, ['--eval', 'setInterval(() => {}, 1000)']);
  const identity = { pid: child.pid ?? 0, start: startOf(child.pid ?? 0) };
  expect(isRunning(identity)).toBe(true);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(isRunning(identity)).toBe(false);
  expect(startOf(identity.pid)).toBeNull();
});

it.each([[0], [-1], [1.5], [Number.NaN]])('%d is no process', (pid) => {
  expect(startOf(pid)).toBeNull();
  expect(isRunning({ pid, start: null })).toBe(false);
});

const AFTER_STATE = '1 7 7 0 -1 4194560 100 0 0 0 1 2 0 0 20 0 11 0 8154321 1000 200';

it.each([
  [`7 (node) S ${AFTER_STATE}`, '8154321'],
  [`7 (a) Z 1) S ${AFTER_STATE}`, '8154321'],
  [`7 (node) Z ${AFTER_STATE}`, null],
  ['7 (node) S', null],
])('reads the start from %j', (stat, start) => {
  expect(linuxStart(stat)).toBe(start);
});
