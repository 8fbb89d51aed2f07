import { describe, expect, it } from 'vitest';
import { GATE_MODEL } from '../../../../server/src/completion/confidence/gate-model.js';
import { examplesOf, PACES, replayed } from '../../../bench/quality/gate-replay.js';
import type { GateSample, SampledPlace } from '../../../bench/quality/gate-samples.js';
import { keysOf } from '../../../bench/samples/held-out-places.js';
import { firstLineRight } from '../../../bench/typing/typing-replay.js';

const PASSAGE = 'return firstName;\n';
const EVERYTHING = () => ({ worth: 0, sure: 0, short: 0 });
const NOTHING = () => ({ worth: 1_000, sure: 1.1, short: 1.1 });

/** A passage that is typed, and what the engine says at its keys; nothing where it is not told. */
function sampled(says: (at: number) => string): SampledPlace {
  let at = 0;
  const samples = keysOf(PASSAGE).map((key): GateSample => {
    const text = says(at);
    const sample = {
      at,
      text,
      raw: text,
      scope: 'code' as const,
      scores: [{ length: text.length, logProbability: -1 }],
    };
    at += key.length;
    return sample;
  });
  const place = {
    repository: '',
    path: 'a.ts',
    languageId: 'typescript',
    before: 'f() {\n',
    passage: PASSAGE,
    after: '}\n',
  };
  return { place, samples };
}

const rest = (at: number) => PASSAGE.slice(at).trimEnd();

describe('the replay', () => {
  it('accepts what is right, and types the rest', () => {
    const place = sampled((at) => (at === 7 ? rest(7) : ''));
    // Seven keys, then one suggestion of ten characters, then the line's end.
    expect(replayed([place], GATE_MODEL, EVERYTHING)).toEqual({
      shown_share: 0.111,
      suggestion_precision: 1,
      accepted_characters: 0.556,
    });
  });

  it('shows nothing that does not pass', () => {
    const place = sampled(rest);
    expect(replayed([place], GATE_MODEL, NOTHING)).toEqual({
      shown_share: 0,
      suggestion_precision: 0,
      accepted_characters: 0,
    });
  });

  it('accepts the part that is right, up to the end of a word', () => {
    const place = sampled((at) => (at === 0 ? 'return firstOther;' : ''));
    expect(replayed([place], GATE_MODEL, EVERYTHING)).toMatchObject({
      suggestion_precision: 0,
      accepted_characters: 0.389,
    });
  });

  it('counts a suggestion once while it stands, and as wrong once the typing differs', () => {
    // No whole word of it is right, so none is accepted. It stands for seven keys of eighteen.
    const place = sampled((at) => (at === 0 || at === 3 ? 'return;'.slice(at) : ''));
    expect(replayed([place], GATE_MODEL, EVERYTHING)).toEqual({
      shown_share: 0.389,
      suggestion_precision: 0,
      accepted_characters: 0,
    });
    const right = sampled((at) => (at < 12 ? '' : rest(at)));
    expect(replayed([place, right], GATE_MODEL, EVERYTHING)).toMatchObject({ suggestion_precision: 0.5 });
  });

  it('lets stand what still fits, though nothing new would be shown', () => {
    const place = sampled((at) => (at === 14 ? 'me;' : ''));
    expect(replayed([place], GATE_MODEL, EVERYTHING)).toMatchObject({ shown_share: 0.167, suggestion_precision: 1 });
  });

  it('tells the gate how fast the user types, and that an accepted text is no key', () => {
    const paces: number[] = [];
    const place = sampled((at) => (at === 0 || at === 6 ? rest(at).slice(0, 6) : ''));
    const gateAt = (_: unknown, sinceLastKey: number) => {
      paces.push(sinceLastKey);
      return EVERYTHING();
    };
    replayed([place], GATE_MODEL, gateAt, PACES.slow);
    expect(paces).toEqual([PACES.slow, Number.POSITIVE_INFINITY]);
  });
});

it('each sensible beginning is an example', () => {
  const [place] = [sampled((at) => (at === 7 ? 'firstName + b' : ''))];
  expect(examplesOf([place]).map(({ right }) => right)).toEqual([true, false]);
});

describe('a first line', () => {
  it.each([
    ['firstName;', true],
    ['firstName', true],
    ['first', false],
    ['lastName;', false],
    ['firstName;\nand more that is wrong', true],
    ['firstName;  ', true],
  ])('%j is right: %s', (ghost, right) => {
    expect(firstLineRight(ghost, 'firstName;\n}')).toBe(right);
  });

  it('begins behind blank lines', () => {
    expect(firstLineRight('\n  return a;\nwrong', '\n  return a;\nb')).toBe(true);
    expect(firstLineRight('\n  return b;', '\n  return a;')).toBe(false);
  });
});
