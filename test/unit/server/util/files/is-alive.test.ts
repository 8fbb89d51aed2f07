import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { isAlive } from '../../../../../server/src/util/files/is-alive.js';

it('sees this process, and one of another user', () => {
  expect(isAlive(process.pid)).toBe(true);
  if (process.platform !== 'win32') expect(isAlive(1)).toBe(true);
});

it('does not see one that has ended', async () => {
  const child = spawn(process.execPath, ['-e', '']);
  await once(child, 'exit');
  expect(isAlive(child.pid ?? process.pid)).toBe(false);
});

it.each([0, -1, 1.5, Number.NaN])('takes %d for no process', (processId) => {
  expect(isAlive(processId)).toBe(false);
});
