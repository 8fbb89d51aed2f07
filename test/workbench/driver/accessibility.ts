import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Frame } from 'playwright-core';

/** What axe puts into the page. */
declare const axe: { run(options: unknown): Promise<AxeResults> };

/** Fails with every fault that axe finds in a page of Inkling's. */
export async function assertAccessible(page: Frame, what: string): Promise<void> {
  // As an expression of the debugger: the page's own policy lets no other script in.
  await page.evaluate(readFileSync(createRequire(__filename).resolve('axe-core/axe.min.js'), 'utf8'));
  const { violations } = await page.evaluate(() => axe.run({ resultTypes: ['violations'] }));
  const faults = violations.map(({ id, nodes }) => [
    id,
    nodes.map(({ html, failureSummary }) => [html, failureSummary]),
  ]);
  assert.deepEqual(faults, [], what);
}
