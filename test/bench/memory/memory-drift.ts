import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { NativeEngine, NativeGenerateRequest } from '../../../server/src/engine/addon/addon-types.js';
import { type SeededRandom, seededRandom } from '../../support/seeded-random.js';
import { REPOSITORY_ROOT } from '../../support/source-tree.js';
import type { BenchmarkFields } from '../measure/benchmark.js';
import { round } from '../measure/statistics.js';
import { residentMemory } from './resident-memory.js';

const DOCUMENTS = ['shift-planner.ts', 'ledger.py'].map((name) =>
  readFileSync(path.join(REPOSITORY_ROOT, 'test/fixtures/bench', name), 'utf8'),
);
/** Requests until checkpoints and swapped-out prompts have filled their budgets. */
const WARM_UP = 200;
const SPECULATION = ['auto', 'off', 'optimistic'] as const;
const LONGEST = 1500;

/** A completion somewhere in a document, or a chat turn, with or without drafts. One in four is aborted. */
function randomRequest(engine: NativeEngine, random: SeededRandom): NativeGenerateRequest {
  const whole = (limit: number) => random.below(limit);
  const document = DOCUMENTS[whole(DOCUMENTS.length)]!;
  const cursor = 1 + whole(document.length - 1);
  const before = document.slice(Math.max(0, cursor - 1 - whole(LONGEST)), cursor);
  const after = document.slice(cursor, cursor + whole(LONGEST / 2));
  const { fim } = engine.facts!;
  const chat = fim === null || whole(5) === 0;
  return {
    ...(chat
      ? { prompt: [`${before}\n`], slot: 'chat' as const, priority: 'chat' as const }
      : { prompt: [fim.prefix, before, fim.suffix, after, fim.middle], sectionBoundaries: [2, 4] }),
    maxTokens: 1 + whole(16),
    speculation: SPECULATION[whole(SPECULATION.length)]!,
    sampling: whole(3) === 0 ? { temperature: 0.8, seed: whole(1000) } : {},
  };
}

/** Memory growth over many mixed requests, after a warm-up. */
export async function measureDrift(
  engine: NativeEngine,
  requests: number,
  progress: (text: string) => void,
): Promise<BenchmarkFields> {
  const random = seededRandom(2026);
  const serve = async (count: number) => {
    for (let index = 0; index < count; index += 1) {
      const generation = engine.generate(randomRequest(engine, random), () => undefined);
      if (random.below(4) === 0) {
        await delay(random.below(40));
        generation.abort();
      }
      await generation.result;
    }
  };
  await serve(WARM_UP);
  const start = { resident: await residentMemory(), held: engine.memory().totalBytes };
  const course: number[] = [];
  for (let served = 0; served < requests; served += 100) {
    await serve(Math.min(100, requests - served));
    course.push((await residentMemory()) - start.resident);
    progress(`drift after ${served + 100} requests: ${(course.at(-1)! / 1e6).toFixed(1)} MB`);
  }
  return {
    drift_bytes: course.at(-1)!,
    drifted_over_start: round(1 + course.at(-1)! / start.resident, 3),
    /** The part that the report accounts for: caches within their budgets. */
    drift_accounted_bytes: engine.memory().totalBytes - start.held,
    drift_course_bytes: course,
  };
}
