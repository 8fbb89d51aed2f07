// Reads the counts of a ctest run from the report that `--output-junit` writes.
import { existsSync, readFileSync } from 'node:fs';

/** All zero without a report. `passed` are those that neither failed nor were skipped. */
export function ctestCounts(report) {
  const header = existsSync(report) ? (readFileSync(report, 'utf8').match(/<testsuite\b[^>]*>/)?.[0] ?? '') : '';
  const count = (name) => Number(header.match(new RegExp(`\\b${name}="(\\d+)"`))?.[1] ?? 0);
  const failed = count('failures');
  const skipped = count('skipped') + count('disabled');
  return { passed: count('tests') - failed - skipped, failed, skipped };
}
