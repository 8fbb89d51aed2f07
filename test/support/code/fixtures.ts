import { readFileSync } from 'node:fs';
import path from 'node:path';
import { REPOSITORY_ROOT } from '../source-tree.js';

/**
 * A sample of this repository's code as it was once, under the paths it had: real code that no model was trained on.
 * Tests and benchmarks read this copy, since an edit of the living files would change what they measure.
 */
export const FROZEN_SOURCES = 'test/fixtures/sources';

/** Text of a file below test/fixtures. */
export function readFixture(name: string): string {
  return readFileSync(path.join(REPOSITORY_ROOT, 'test/fixtures', name), 'utf8');
}

/** Where a text begins in a fixture; throws where it is not found, so that no test goes on at a wrong place. */
export function anchorIn(text: string, anchor: string, from = 0): number {
  const position = text.indexOf(anchor, from);
  if (position < 0) throw new Error(`the fixture has no ${JSON.stringify(anchor)}`);
  return position;
}
