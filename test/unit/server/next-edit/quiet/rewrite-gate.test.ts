import { describe, expect, it } from 'vitest';
import { gateOf, type RewriteGate } from '../../../../../server/src/next-edit/quiet/rewrite-gate.js';
import { evidenceOf, type RewriteEvidence } from '../../../../../server/src/next-edit/quiet/rewrite-odds.js';

const NEW: RewriteEvidence = { margin: 12, least: -0.01, mean: -0.001, size: 20, repeats: false };
const GATES: readonly (readonly [string, RewriteGate])[] = [
  ['the starter model', gateOf({ isStarter: true })],
  ['any other', gateOf({ isStarter: false })],
];

describe.each(GATES)('the gate of %s', (_, gate) => {
  it('lets a change pass that repeats nothing, if the model is sure of it', () => {
    expect(gate.passes(NEW)).toBe(true);
    expect(gate.canPass(NEW.margin, false)).toBe(true);
  });

  it.each<[string, Partial<RewriteEvidence>]>([
    ['its departure was close', { margin: 0.1 }],
    ['one of its tokens was unlikely', { least: -4, mean: -0.8, margin: 3 }],
  ])('keeps it where %s', (_reason, less) => {
    expect(gate.passes({ ...NEW, ...less })).toBe(false);
  });

  it('stops at no departure that can pass', () => {
    for (const margin of [0, 0.5, 1, 2, 4, 8, 12]) {
      for (const repeats of [true, false]) {
        const passes = gate.passes({ ...NEW, least: 0, mean: 0, size: 1, margin, repeats });
        expect(gate.canPass(margin, repeats)).toBe(passes);
      }
    }
  });
});

it('what the user has made before passes the starter model sooner than what is new', () => {
  const [, gate] = GATES[0] ?? [];
  expect(gate?.passes({ ...NEW, margin: 2 })).toBe(false);
  expect(gate?.passes({ ...NEW, margin: 2, repeats: true })).toBe(true);
});

it('nothing is known where no departure says how sure the model was', () => {
  expect(evidenceOf({ departure: null, decoded: [] }, [], [])).toBeNull();
});

it('a rewrite repeats only if every one of its changes was made before', () => {
  const edits = [{ from: 'a', to: 'b' }];
  const of = (...change: { from: string; to: string }[]) =>
    evidenceOf({ departure: { verified: 0, margin: 1 }, decoded: [-0.5, -1.5] }, change, edits);
  expect(of({ from: 'a', to: 'b' })).toEqual({ margin: 1, least: -1.5, mean: -1, size: 2, repeats: true });
  expect(of({ from: 'a', to: 'b' }, { from: 'c', to: 'de' })).toMatchObject({ size: 5, repeats: false });
});
