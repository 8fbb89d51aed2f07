import { expect, it } from 'vitest';
import { runOrTell } from '../../../../extension/src/models/run-or-tell.js';

it('tells what failed and why, once, and rejects nothing', async () => {
  const told: unknown[] = [];
  const orTell = runOrTell((sentence, thrown) => told.push(sentence, thrown));
  await orTell(
    async () => undefined,
    () => 'It failed.',
  );
  expect(told).toEqual([]);
  const unsaved = new Error('The file has unsaved changes.');
  await orTell(
    () => Promise.reject(unsaved),
    (reason) => `Model A cannot be used: ${reason}`,
  );
  expect(told).toEqual(['Model A cannot be used: The file has unsaved changes.', unsaved]);
});
