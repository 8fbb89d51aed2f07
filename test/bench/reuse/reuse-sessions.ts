import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { STARTER_MODEL } from '../../support/addon.js';
import { REPOSITORY_ROOT } from '../../support/source-tree.js';
import type { BenchmarkFields } from '../measure/benchmark.js';
import { round } from '../measure/statistics.js';

const PROGRAM = path.join(REPOSITORY_ROOT, 'build/test/native/cpp/inkling_tests');
const CASE = 'random sessions answer like a fresh engine, with drafts and without';
const COUNTS = /starter model: (\d+) requests; tokens evaluated (\d+) against (\d+) fresh;/;

/**
 * Random sessions of the native property test, as long as they are written: what the engine evaluates when it reuses its
 * state, and what a fresh engine evaluates for the same answers. Fails if an answer differs.
 */
export function measureSessions(): BenchmarkFields {
  const output = execFileSync(PROGRAM, [STARTER_MODEL, 'reuse_property_test', CASE], {
    encoding: 'utf8',
    env: { ...process.env, INKLING_TEST_SCALE: '1' },
  });
  const [, ...counts] = COUNTS.exec(output) ?? [];
  const [requests = Number.NaN, evaluated = Number.NaN, fresh = Number.NaN] = counts.map(Number);
  return {
    sessions_requests: requests,
    sessions_evaluated_tokens: evaluated,
    sessions_fresh_tokens: fresh,
    sessions_evaluated_over_fresh: round(evaluated / fresh, 3),
  };
}
