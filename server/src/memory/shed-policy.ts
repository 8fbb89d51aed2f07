import type { InklingSettings } from '../../protocol/index.js';
import { RELEASE_ORDER, type Releasable } from '../engine/port/memory-report.js';

/** How short the system is of memory: at `low` it slows down, at `critical` it soon ends processes. */
export type MemoryPressure = 'none' | 'low' | 'critical';

/** Bytes that each step would free. */
export type Held = Readonly<Record<Releasable, number>>;

export interface MemorySituation {
  readonly pressure: MemoryPressure;
  readonly overBudget: boolean;
  readonly held: Held;
  /** The slot of the conversations. */
  readonly chatSlot: 'chat' | 'completion';
  /** Time since the model's last use; 0 during use. */
  readonly idleMs: number;
  /** 0 = never. */
  readonly unloadAfterMs: number;
  /** The user's setting for battery; `keep` on mains power. */
  readonly onBattery: InklingSettings['onBattery'];
}

export interface ShedDecision {
  readonly step: Releasable | 'weights';
  readonly reason: 'idle' | 'budget' | 'battery' | 'memoryPressure';
}

/** What may be freed while the contexts are in use. */
const WITHOUT_CONTEXTS: readonly Releasable[] = ['checkpoints', 'swapped'];

/** A step that frees less is not worth it. */
const LEAST_BYTES = 2 ** 20;

/** On battery, memory is freed once the model was idle for so long. */
const UNUSED_MS = 60_000;

/** A context used more recently will be used again: restoring it would cost more than it frees. */
const CONTEXT_UNUSED_MS = 20_000;

/** The next part to free, or null. One step at a time, since each changes the situation. */
export function nextShedStep(situation: MemorySituation): ShedDecision | null {
  const { pressure, overBudget, held, chatSlot, idleMs, unloadAfterMs, onBattery } = situation;
  if (unloadAfterMs > 0 && idleMs >= unloadAfterMs) return { step: 'weights', reason: 'idle' };

  const unused = idleMs >= CONTEXT_UNUSED_MS;
  switch (pressure) {
    case 'critical': {
      const step = firstHeld(held, RELEASE_ORDER) ?? (idleMs > 0 ? 'weights' : null);
      return step && { step, reason: 'memoryPressure' };
    }
    case 'low': {
      const step = firstHeld(held, unused ? RELEASE_ORDER : WITHOUT_CONTEXTS);
      if (step !== null) return { step, reason: 'memoryPressure' };
      break;
    }
    case 'none':
      break;
  }
  if (overBudget) {
    const step = firstHeld(held, unused ? [...WITHOUT_CONTEXTS, chatSlot] : WITHOUT_CONTEXTS);
    if (step !== null) return { step, reason: 'budget' };
  }
  if (idleMs < UNUSED_MS || onBattery === 'keep') return null;
  if (onBattery === 'unload') return { step: 'weights', reason: 'battery' };
  const step = firstHeld(held, RELEASE_ORDER);
  return step && { step, reason: 'battery' };
}

function firstHeld(held: Held, allowed: readonly Releasable[]): Releasable | null {
  return RELEASE_ORDER.find((each) => allowed.includes(each) && held[each] >= LEAST_BYTES) ?? null;
}
