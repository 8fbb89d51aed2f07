import { expect, it } from 'vitest';
import { Pulse } from '../../../../extension/src/client/heartbeat.js';

/** Five seconds, the interval of the timer. */
const STEP = 5_000;

/** What follows at each tick. `answered`: the server answers before the next one. `late`: the timer is held up. */
function ticks(events: readonly ('answered' | 'silent' | 'late')[]): readonly string[] {
  const pulse = new Pulse(0);
  let now = 0;
  return events.map((event) => {
    now += event === 'late' ? 100 * STEP : STEP;
    const next = pulse.tick(now);
    if (event === 'answered') pulse.answer();
    return next;
  });
}

it.each([
  ['asks again after each answer', ['answered', 'answered', 'answered'], ['ask', 'ask', 'ask']],
  ['waits for a slow answer', ['silent', 'silent', 'answered', 'silent'], ['ask', 'wait', 'wait', 'ask']],
  [
    'gives up after three silent intervals',
    ['silent', 'silent', 'silent', 'silent'],
    ['ask', 'wait', 'wait', 'silent'],
  ],
  [
    'starts to count again after it was held up itself',
    ['silent', 'silent', 'silent', 'late', 'silent', 'silent', 'silent'],
    ['ask', 'wait', 'wait', 'wait', 'wait', 'wait', 'silent'],
  ],
] as const)('%s', (_name, events, expected) => {
  expect(ticks(events)).toEqual(expected);
});
