import { describe, expect, it } from 'vitest';
import { memoryBudget } from '../../../../server/src/memory/memory-budget.js';
import { type Held, type MemorySituation, nextShedStep } from '../../../../server/src/memory/shed-policy.js';

const MINUTE = 60_000;
const EVERYTHING: Held = { checkpoints: 1e8, swapped: 1e8, chat: 1e8, completion: 1e8 };
const NOTHING: Held = { checkpoints: 0, swapped: 0, chat: 0, completion: 0 };
const CALM: MemorySituation = {
  pressure: 'none',
  overBudget: false,
  chatSlot: 'chat',
  held: EVERYTHING,
  idleMs: 5_000,
  unloadAfterMs: 30 * MINUTE,
  onBattery: 'keep',
};

/** Carries out steps until none is left. */
function allSteps(situation: MemorySituation): string[] {
  const steps: string[] = [];
  let held = situation.held;
  for (;;) {
    const decision = nextShedStep({ ...situation, held });
    if (decision === null) return steps;
    steps.push(decision.step);
    if (decision.step === 'weights') return steps;
    held = { ...held, [decision.step]: 0 };
  }
}

describe('nextShedStep', () => {
  const row = (situation: Partial<MemorySituation>): MemorySituation => ({ ...CALM, ...situation });

  it.each<[string, Partial<MemorySituation>, string[]]>([
    ['all is well', {}, []],
    ['memory is critical', { pressure: 'critical' }, ['checkpoints', 'swapped', 'chat', 'completion', 'weights']],
    [
      'memory is critical during work',
      { pressure: 'critical', idleMs: 0 },
      ['checkpoints', 'swapped', 'chat', 'completion'],
    ],
    ['memory is low during work', { pressure: 'low', idleMs: 0 }, ['checkpoints', 'swapped']],
    ['memory is low in a pause', { pressure: 'low', idleMs: MINUTE }, ['checkpoints', 'swapped', 'chat', 'completion']],
    ['the budget is passed', { overBudget: true }, ['checkpoints', 'swapped']],
    ['the budget is passed in a pause', { overBudget: true, idleMs: MINUTE }, ['checkpoints', 'swapped', 'chat']],
    ['nothing is left of the budget but the model', { overBudget: true, held: NOTHING, idleMs: MINUTE }, []],
    ['the model was not used for long', { idleMs: 30 * MINUTE }, ['weights']],
    ['the model may stay for ever', { idleMs: 1e9, unloadAfterMs: 0 }, []],
    ['on battery, in use', { onBattery: 'unload' }, []],
    ['on battery, unused', { onBattery: 'unload', idleMs: MINUTE }, ['weights']],
    [
      'on battery, unused, only caches',
      { onBattery: 'freeCaches', idleMs: MINUTE },
      ['checkpoints', 'swapped', 'chat', 'completion'],
    ],
    ['what is held is not worth it', { pressure: 'low', held: { ...NOTHING, swapped: 1000 } }, []],
  ])('when %s', (_name, situation, steps) => {
    expect(allSteps(row(situation))).toEqual(steps);
  });

  it('names the reason', () => {
    expect(nextShedStep(row({ pressure: 'low', overBudget: true }))?.reason).toBe('memoryPressure');
    expect(nextShedStep(row({ overBudget: true }))?.reason).toBe('budget');
    expect(nextShedStep(row({ idleMs: MINUTE, onBattery: 'freeCaches' }))?.reason).toBe('battery');
    expect(nextShedStep(row({ idleMs: 31 * MINUTE, pressure: 'critical' }))?.reason).toBe('idle');
  });
});

describe('memoryBudget', () => {
  it.each([
    ["the user's", 6e9, 16e9, 1e9, 6e9],
    ['no more than there is', 64e9, 16e9, 1e9, 16e9],
    ['about half of the machine', 0, 16e9, 1e9, 8.8e9],
    ['what a large model needs, with room to work', 0, 16e9, 9e9, 11.25e9],
    ['never the whole machine', 0, 16e9, 15e9, 13.6e9],
  ])('is %s', (_name, requested, machine, needed, expected) => {
    expect(memoryBudget(requested, machine, needed)).toBeCloseTo(expected);
  });
});
