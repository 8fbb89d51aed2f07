import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { BackgroundQueue } from '../../../../server/src/util/background-queue.js';

function queue(quietMs = 0): { queue: BackgroundQueue; errors: unknown[] } {
  const errors: unknown[] = [];
  return { queue: new BackgroundQueue({ quietMs, onError: (error) => errors.push(error) }), errors };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await delay(2);
}

it('runs jobs one after the other, later, and the last one of a key only', async () => {
  const { queue: background } = queue();
  const done: string[] = [];
  const job = (name: string) => async (turn: () => Promise<void>) => {
    done.push(`${name} begins`);
    await turn();
    await delay(5);
    done.push(`${name} ends`);
  };
  background.enqueue('a', job('first a'));
  background.enqueue('b', job('b'));
  background.enqueue('a', job('second a'));
  background.enqueue('c', job('c'));
  background.remove('c');
  expect(done).toEqual([]);
  await until(() => background.isEmpty);
  expect(done).toEqual(['b begins', 'b ends', 'second a begins', 'second a ends']);
});

it('continues after a failed job', async () => {
  const { queue: background, errors } = queue();
  let ran = false;
  background.enqueue('a', async () => {
    throw new Error('no');
  });
  background.enqueue('b', async () => {
    ran = true;
  });
  await until(() => ran);
  expect(errors).toEqual([new Error('no')]);
});

it('waits while it is disturbed, and yields between turns', async () => {
  const { queue: background } = queue(40);
  let steps = 0;
  background.disturb();
  background.enqueue('a', async (turn) => {
    for (; steps < 20; steps++) {
      const end = performance.now() + 1;
      while (performance.now() < end);
      await turn();
    }
  });
  await delay(15);
  expect(steps).toBe(0);
  let others = 0;
  while (steps < 20) {
    await new Promise((resolve) => setImmediate(resolve));
    others++;
  }
  expect(others).toBeGreaterThan(3);
});

it('runs nothing after dispose, not even the rest of a job', async () => {
  const { queue: background } = queue();
  let steps = 0;
  background.enqueue('a', async (turn) => {
    for (;;) {
      steps++;
      await delay(1);
      await turn();
    }
  });
  await until(() => steps > 2);
  background.dispose();
  background.enqueue('b', async () => {
    steps = -1;
  });
  await delay(20);
  const then = steps;
  await delay(20);
  expect(steps).toBe(then);
});
