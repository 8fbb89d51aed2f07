import { existsSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { WindowLock } from '../../../../extension/src/download/window-lock.js';
import { TemporaryFolder } from '../../../support/temporary-folder.js';

let folder: TemporaryFolder;
let path: string;
const lost = vi.fn();

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  lost.mockClear();
  folder = new TemporaryFolder();
  path = folder.file('model.gguf.lock');
});
afterEach(() => {
  vi.useRealTimers();
  folder.dispose();
});

it('is touched while it is held, and removed at the end', () => {
  const lock = WindowLock.take(path, lost);
  utimesSync(path, 0, 0);
  vi.advanceTimersByTime(10_000);
  expect(statSync(path).mtimeMs).toBeGreaterThan(0);
  lock?.release();
  expect(existsSync(path)).toBe(false);
  vi.advanceTimersByTime(60_000);
  expect(lost).not.toHaveBeenCalled();
});

it.each([
  ['removed', () => rmSync(path)],
  ['replaced', () => writeFileSync(path, '{}')],
])('says that it was %s', (_what, change) => {
  const lock = WindowLock.take(path, lost);
  change();
  vi.advanceTimersByTime(10_000);
  expect(lost).toHaveBeenCalled();
  lock?.release();
});
