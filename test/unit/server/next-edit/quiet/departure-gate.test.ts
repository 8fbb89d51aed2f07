import { expect, it } from 'vitest';
import { departureGate } from '../../../../../server/src/next-edit/quiet/departure-gate.js';
import { gateOf, PLAIN_GATE } from '../../../../../server/src/next-edit/quiet/rewrite-gate.js';

const STARTER = gateOf({ isStarter: true });
const EDITS = [{ path: 'a.ts', line: 1, original: 'call(count);\n', updated: 'call(total);\n' }];
const OTHER = 'const nothing = "of this kind";\n'.repeat(3);
const CURRENT = `${OTHER}use(count);\n${OTHER}log(count);\n${OTHER}`;
const [FIRST, LAST] = [CURRENT.indexOf('count'), CURRENT.lastIndexOf('count')];

it('asks from the first to the last place for a repeated change, where only such changes pass', () => {
  const { within } = departureGate(STARTER, { current: CURRENT, edits: EDITS });
  expect(within?.start).toBeLessThan(FIRST);
  expect(within?.start).toBeGreaterThan(OTHER.length - OTHER.length / 3);
  expect(within?.end).toBeGreaterThan(LAST);
  expect(within?.end).toBeLessThan(CURRENT.length - OTHER.length / 3);
});

it('does not begin before the region', () => {
  expect(departureGate(STARTER, { current: 'count', edits: EDITS }).within?.start).toBe(0);
});

it('asks anywhere where there is no such place, or other changes pass too', () => {
  expect(departureGate(STARTER, { current: OTHER, edits: EDITS }).within).toBeNull();
  expect(departureGate(PLAIN_GATE, { current: CURRENT, edits: EDITS }).within).toBeNull();
});
