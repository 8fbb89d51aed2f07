import { expect, it } from 'vitest';
import { missedAims, type SoakResult, soakFields } from '../../soak/verdict.js';

const VITALS = {
  rssBytes: 300e6,
  anonymousBytes: 200e6,
  heapBytes: 30e6,
  externalBytes: 9e6,
  codeBytes: 2e6,
  handles: 30,
  threads: 12,
};

function result(changes: Partial<SoakResult> = {}): SoakResult {
  return {
    start: VITALS,
    end: VITALS,
    rssCourse: [310e6],
    latenciesMs: { start: [10, 20, 100], end: [10, 20, 110], fresh: [10, 20, 100] },
    requests: { asked: 9, answered: 8, refused: 1, lost: 1, unanswered: [], failures: [], slowestMs: 900.4 },
    happened: { write: 3 },
    restartsMs: [500, 700],
    freshRss: [250e6, 251e6],
    orphans: 0,
    damagedFiles: [],
    badEnds: [],
    ...changes,
  };
}

it('reports under names that stay', () => {
  expect(soakFields(result({ end: { ...VITALS, rssBytes: 304e6, handles: 29 } }))).toMatchObject({
    rss_drift_bytes: 4e6,
    handles_drift: -1,
    threads_drift: 0,
    unanswered: 0,
    p90_end_over_start: 1.1,
    restarts: { count: 2, p90_ms: 700, longest_ms: 700, fresh_rss_drift_bytes: 1e6 },
  });
});

it('is content with a day that leaves nothing behind', () => {
  expect(missedAims(result())).toEqual([]);
});

it.each([
  ['memory', { end: { ...VITALS, rssBytes: 311e6 } }, /resident bytes gained: 11000000/],
  ['a handle', { end: { ...VITALS, handles: 31 } }, /handles gained: 1/],
  ['a thread', { end: { ...VITALS, threads: 13 } }, /threads gained: 1/],
  ['an answer', { requests: { ...result().requests, unanswered: ['chat'] } }, /without an answer: 1/],
  ['an error', { requests: { ...result().requests, failures: ['chat: broken'] } }, /failed requests: 1/],
  ['speed', { latenciesMs: { start: [10], end: [13], fresh: [10] } }, /p90 at the end over p90 at the start: 1\.3/],
  ['all measurements', { latenciesMs: { start: [], end: [], fresh: [] } }, /p90 .*: NaN/],
  ['a process', { orphans: 1 }, /left behind: 1/],
  ['a file', { damagedFiles: ['statistics.json'] }, /damaged files: 1/],
  [
    'slow starts',
    { restartsMs: [500, 500, 500, 500, 500, 500, 500, 1_800, 1_900] },
    /p90 of 9 .* 1900 ms, .*: 1\d{3},/,
  ],
  ['a server', { badEnds: ['it ended with 134'] }, /did not end as they should: 1/],
])('names the aim that is missed with %s', (_, changes, message) => {
  expect(missedAims(result(changes))).toEqual([expect.stringMatching(message)]);
});
