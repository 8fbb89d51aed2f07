import { expect, it } from 'vitest';
import { removeFile } from '../../../../extension/src/download/disk.js';

/** Fails with these codes, one an attempt, and then succeeds. */
function failing(...codes: readonly string[]) {
  const left = [...codes];
  const attempts: string[] = [];
  const remove = async (file: string): Promise<void> => {
    attempts.push(file);
    const code = left.shift();
    if (code !== undefined) throw Object.assign(new Error(`${code}: ${file}`), { code });
  };
  return { attempts, remove };
}

it('waits on Windows for a process that gives the file back', async () => {
  const { attempts, remove } = failing('EPERM', 'EBUSY', 'EACCES');
  await removeFile('C:\\models\\a.gguf', { platform: 'win32', delaysMs: [1, 1, 1], remove });
  expect(attempts).toEqual(Array.from({ length: 4 }, () => 'C:\\models\\a.gguf'));
});

it.each([
  ['on Windows after the last delay', 'win32', 'EBUSY', 3],
  ['at once where the code says something else', 'win32', 'EIO', 1],
  ['at once elsewhere, where the code says that a right is missing', 'linux', 'EPERM', 1],
] as const)('says why a file stays: %s', async (_name, platform, code, count) => {
  const { attempts, remove } = failing(...Array.from({ length: 9 }, () => code));
  await expect(removeFile('a.gguf', { platform, delaysMs: [1, 1], remove })).rejects.toThrow(code);
  expect(attempts).toHaveLength(count);
});
