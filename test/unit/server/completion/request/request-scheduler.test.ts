import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type JobControl, RequestScheduler } from '../../../../../server/src/completion/request/request-scheduler.js';

/** A job that ends on demand, and records its abort. */
function manualJob() {
  let finish: (value: string) => void = () => undefined;
  const result = new Promise<string>((resolve) => {
    finish = resolve;
  });
  let control: JobControl<string> | undefined;
  const job = vi.fn((given: JobControl<string>) => {
    control = given;
    return result;
  });
  return {
    job,
    finish,
    answer: (value: string) => control?.answer(value),
    aborted: () => control?.signal.aborted === true,
  };
}

const never = new AbortController().signal;
/** A question covers all that begin with it, like text that was typed on. */
const newScheduler = () => new RequestScheduler<string, string>((running, asked) => asked.startsWith(running));

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('answers with the result of the job', async () => {
  await expect(newScheduler().run('a', async () => 'done', never)).resolves.toEqual({ question: 'a', result: 'done' });
});

it('aborts the older job when another question starts its job', async () => {
  const scheduler = newScheduler();
  const older = manualJob();
  const newer = manualJob();
  const first = scheduler.run('a', older.job, never);
  const second = scheduler.run('b', newer.job, never);
  await expect(first).resolves.toBeNull();
  expect(older.aborted()).toBe(true);
  expect(newer.aborted()).toBe(false);
  newer.finish('done');
  await expect(second).resolves.toMatchObject({ result: 'done' });
});

it('lets a covered question join, returns the joined one, and runs one job', async () => {
  const scheduler = newScheduler();
  const shared = manualJob();
  const first = scheduler.run('a', shared.job, never);
  const second = scheduler.run('ab', shared.job, never);
  shared.finish('done');
  const answer = { question: 'a', result: 'done' };
  await expect(Promise.all([first, second])).resolves.toEqual([answer, answer]);
  expect(shared.job).toHaveBeenCalledTimes(1);
});

it('keeps shared work while one caller still waits, and stops it shortly after the last one left', async () => {
  const scheduler = newScheduler();
  const shared = manualJob();
  const [leaves, stays] = [new AbortController(), new AbortController()];
  const first = scheduler.run('a', shared.job, leaves.signal);
  const second = scheduler.run('a', shared.job, stays.signal);
  leaves.abort();
  await expect(first).resolves.toBeNull();
  await vi.advanceTimersByTimeAsync(1000);
  expect(shared.aborted()).toBe(false);
  stays.abort();
  await expect(second).resolves.toBeNull();
  expect(shared.aborted()).toBe(false);
  await vi.advanceTimersByTimeAsync(1000);
  expect(shared.aborted()).toBe(true);
});

it("lets the next key join the last key's job", async () => {
  const scheduler = newScheduler();
  const shared = manualJob();
  const gone = new AbortController();
  const first = scheduler.run('a', shared.job, gone.signal);
  gone.abort();
  await first;
  await vi.advanceTimersByTimeAsync(20);
  const second = scheduler.run('ab', shared.job, never);
  await vi.advanceTimersByTimeAsync(1000);
  expect(shared.aborted()).toBe(false);
  shared.finish('done');
  await expect(second).resolves.toMatchObject({ question: 'a', result: 'done' });
});

it('continues after an early answer without waiting callers, until another question comes', async () => {
  const scheduler = newScheduler();
  const slow = manualJob();
  const first = scheduler.run('a', slow.job, never);
  slow.answer('part');
  await expect(first).resolves.toMatchObject({ result: 'part' });
  await vi.advanceTimersByTimeAsync(1000);
  expect(slow.aborted()).toBe(false);
  const other = manualJob();
  void scheduler.run('b', other.job, never);
  expect(slow.aborted()).toBe(true);
});

it('lets a question that joins after an early answer wait for the end', async () => {
  const scheduler = newScheduler();
  const slow = manualJob();
  const first = scheduler.run('a', slow.job, never);
  slow.answer('part');
  await expect(first).resolves.toMatchObject({ result: 'part' });
  const late = scheduler.run('ab', slow.job, never);
  slow.finish('whole');
  await expect(late).resolves.toEqual({ question: 'a', result: 'whole' });
  await expect(scheduler.run('abc', async () => 'own', never)).resolves.toEqual({ question: 'abc', result: 'own' });
});

it('does not start a job for an aborted caller', async () => {
  const { job } = manualJob();
  await expect(newScheduler().run('a', job, AbortSignal.abort())).resolves.toBeNull();
  expect(job).not.toHaveBeenCalled();
});

it('passes on the failure of the job, and accepts another one afterwards', async () => {
  const scheduler = newScheduler();
  const failing = scheduler.run('a', () => Promise.reject(new Error('broken')), never);
  await expect(failing).rejects.toThrow('broken');
  await expect(scheduler.run('a', async () => 'done', never)).resolves.toMatchObject({ result: 'done' });
});

it('stops on demand', async () => {
  const scheduler = newScheduler();
  const { job, aborted } = manualJob();
  const first = scheduler.run('a', job, never);
  scheduler.stop();
  await expect(first).resolves.toBeNull();
  expect(aborted()).toBe(true);
});
