import { expect, it, vi } from 'vitest';
import { RequestScheduler } from '../../../../server/src/completion/request-scheduler.js';

/** A job that ends when told to, and remembers whether it was aborted. */
function manualJob() {
  let finish: (value: string) => void = () => undefined;
  const result = new Promise<string>((resolve) => {
    finish = resolve;
  });
  let signal: AbortSignal | undefined;
  const job = vi.fn((given: AbortSignal) => {
    signal = given;
    return result;
  });
  return { job, finish, aborted: () => signal?.aborted === true };
}

const never = new AbortController().signal;

it('answers with the result of the job', async () => {
  const scheduler = new RequestScheduler<string>();
  await expect(scheduler.run('a', async () => 'done', never)).resolves.toBe('done');
});

it('aborts the older job when another request takes the slot', async () => {
  const scheduler = new RequestScheduler<string>();
  const older = manualJob();
  const newer = manualJob();
  const first = scheduler.run('a', older.job, never);
  const second = scheduler.run('b', newer.job, never);
  await expect(first).resolves.toBeNull();
  expect(older.aborted()).toBe(true);
  expect(newer.aborted()).toBe(false);
  newer.finish('done');
  await expect(second).resolves.toBe('done');
});

it('joins an equivalent request, and runs its job once', async () => {
  const scheduler = new RequestScheduler<string>();
  const shared = manualJob();
  const first = scheduler.run('a', shared.job, never);
  const second = scheduler.run('a', shared.job, never);
  shared.finish('done');
  await expect(Promise.all([first, second])).resolves.toEqual(['done', 'done']);
  expect(shared.job).toHaveBeenCalledTimes(1);
});

it('keeps shared work while one caller still waits, and stops it when the last one leaves', async () => {
  const scheduler = new RequestScheduler<string>();
  const shared = manualJob();
  const [leaves, stays] = [new AbortController(), new AbortController()];
  const first = scheduler.run('a', shared.job, leaves.signal);
  const second = scheduler.run('a', shared.job, stays.signal);
  leaves.abort();
  await expect(first).resolves.toBeNull();
  expect(shared.aborted()).toBe(false);
  stays.abort();
  await expect(second).resolves.toBeNull();
  expect(shared.aborted()).toBe(true);
});

it('does not start for a caller that has given up already', async () => {
  const scheduler = new RequestScheduler<string>();
  const { job } = manualJob();
  await expect(scheduler.run('a', job, AbortSignal.abort())).resolves.toBeNull();
  expect(job).not.toHaveBeenCalled();
});

it('hands on the failure of the job, and is free afterwards', async () => {
  const scheduler = new RequestScheduler<string>();
  const failing = scheduler.run('a', () => Promise.reject(new Error('broken')), never);
  await expect(failing).rejects.toThrow('broken');
  await expect(scheduler.run('a', async () => 'done', never)).resolves.toBe('done');
});
