import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Frame } from 'playwright-core';

/** The function that axe adds to the page. */
declare const axe: { run(options: unknown): Promise<AxeResults> };

/** Fails with every fault that axe finds in an Inkling page. */
export async function assertAccessible(page: Frame, what: string): Promise<void> {
  // Through the debugger, since the page's own policy allows no other script.
  await page.evaluate(readFileSync(createRequire(__filename).resolve('axe-core/axe.min.js'), 'utf8'));
  const { violations } = await page.evaluate(() => axe.run({ resultTypes: ['violations'] }));
  const faults = violations.map(({ id, nodes }) => [
    id,
    nodes.map(({ html, failureSummary }) => [html, failureSummary]),
  ]);
  assert.deepEqual(faults, [], what);
}
