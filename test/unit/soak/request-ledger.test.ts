import { expect, it } from 'vitest';
import { RequestLedger } from '../../soak/request-ledger.js';

const never = new Promise<never>(() => undefined);

it('counts answers, errors and refusals', async () => {
  const ledger = new RequestLedger();
  expect(await ledger.expect('a', Promise.resolve(5))).toBe(5);
  expect(await ledger.expect('b', Promise.reject(new Error('broken')))).toBeNull();
  await ledger.expectRefusal('c', Promise.reject(new Error('no such method')));
  expect(ledger).toMatchObject({ asked: 3, answered: 3, refused: 1, unanswered: [], lost: 0 });
  expect(ledger.failures).toEqual([expect.stringMatching(/^b: .*broken/)]);
});

it('counts what has no answer in time, and goes on', async () => {
  const ledger = new RequestLedger(10);
  expect(await ledger.expect('slow', never)).toBeNull();
  expect(ledger).toMatchObject({ asked: 1, answered: 0, unanswered: ['slow'], failures: [] });
});

it('expects no answer of a killed server', async () => {
  const ledger = new RequestLedger();
  expect(await ledger.expectUnlessKilled(never, Promise.resolve())).toBeNull();
  expect(await ledger.expectUnlessKilled(Promise.resolve(1), never)).toBe(1);
  expect(ledger).toMatchObject({ asked: 2, answered: 1, lost: 1, unanswered: [] });
});
