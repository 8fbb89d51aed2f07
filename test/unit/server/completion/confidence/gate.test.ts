import { describe, expect, it } from 'vitest';
import {
  chancesAlong,
  GATES,
  type GatePlace,
  gateFor,
  passGate,
} from '../../../../../server/src/completion/confidence/gate.js';
import { gateModelFor } from '../../../../../server/src/completion/confidence/gate-model.js';
import { shiftOf } from '../../../../../server/src/completion/confidence/learned-odds.js';
import type { ScoredPiece } from '../../../../../server/src/completion/request/scored-text.js';

const CODE: GatePlace = { scope: 'code', linePrefix: 'const total = ' };
const MODEL = gateModelFor('');

type Parts = readonly (readonly [text: string, probability: number])[];

/** Pieces of a text, each with its probability. */
function pieces(...parts: Parts) {
  let end = 0;
  const scored: ScoredPiece[] = parts.map(([text, probability]) => {
    end += text.length;
    return { end, logProbability: Math.log(probability) };
  });
  return { text: parts.map(([text]) => text).join(''), pieces: scored };
}

function shown(parts: Parts, gate = GATES.balanced, place = CODE): string {
  const { text, pieces: scored } = pieces(...parts);
  return text.slice(0, passGate(text, chancesAlong(text, scored, place, MODEL, 0), gate).end);
}

describe('the gate', () => {
  it('shows a text that is sure to its end', () => {
    expect(
      shown([
        ['sumOf', 0.99],
        ['(orders', 0.98],
        [');', 0.99],
      ]),
    ).toBe('sumOf(orders);');
  });

  it('leaves out the tail where it becomes unsure, behind a whole word', () => {
    expect(
      shown([
        ['sumOfOrders', 0.99],
        ['(wrong', 0.03],
        ['Thing', 0.9],
        [');', 0.9],
      ]),
    ).toBe('sumOfOrders');
  });

  it('ends before a line that is unsure', () => {
    const lines = [
      ['sumOfOrders();\n', 0.98],
      ['return', 0.05],
      [' total;', 0.9],
    ] as const;
    expect(shown([...lines])).toBe('sumOfOrders();');
  });

  it('shows nothing of a text whose first words are unlikely', () => {
    expect(
      shown([
        ['improbableName', 0.001],
        ['();', 0.9],
      ]),
    ).toBe('');
  });

  it('shows a few characters only where they are nearly sure', () => {
    expect(shown([['abc;', 0.6]])).toBe('');
    expect(shown([['abc;', 0.9999]])).toBe('abc;');
  });

  it('asks for more, the calmer it is', () => {
    const doubtful = [
      ['possibleName', 0.2],
      ['();', 0.8],
    ] as const;
    expect(shown([...doubtful], GATES.calm)).toBe('');
    expect(shown([...doubtful], GATES.eager)).not.toBe('');
  });

  it('is one step calmer inside a word that is typed fast', () => {
    const inWord = { ...CODE, linePrefix: 'const tot' };
    expect(gateFor('balanced', inWord, 80)).toBe(GATES.calm);
    expect(gateFor('balanced', inWord, 900)).toBe(GATES.balanced);
    expect(gateFor('balanced', CODE, 80)).toBe(GATES.balanced);
  });
});

describe('the chance', () => {
  it('never rises along a text, and is a probability', () => {
    const { text, pieces: scored } = pieces(
      ['if', 0.9],
      [' (a', 0.5],
      [') {\n', 0.99],
      ['  b', 0.3],
      ['();\n', 1],
      ['}', 1],
    );
    const chances = chancesAlong(text, scored, CODE, MODEL, 0).map(({ chance }) => chance);
    expect(chances).toEqual([...chances].sort((left, right) => right - left));
    for (const chance of chances) expect(chance > 0 && chance < 1).toBe(true);
  });

  it('grows with the probability of each piece', () => {
    const chance = (probability: number) => {
      const { text, pieces: scored } = pieces(['total', probability]);
      return chancesAlong(text, scored, CODE, MODEL, 0)[0]?.chance ?? 0;
    };
    for (const [less, more] of [
      [0.01, 0.1],
      [0.1, 0.5],
      [0.5, 0.9],
      [0.9, 0.999],
    ] as const) {
      expect(chance(less)).toBeLessThan(chance(more));
    }
  });

  it('stays a number where a probability is 0 or 1', () => {
    const scored = [
      { end: 5, logProbability: 0 },
      { end: 8, logProbability: -1e300 },
    ];
    for (const { chance } of chancesAlong('total();', scored, CODE, MODEL, 0)) expect(chance).not.toBeNaN();
  });

  it('moves with what the user accepts, and no further than one in log-odds', () => {
    const { text, pieces: scored } = pieces(['total', 0.3]);
    const at = (shift: number) => chancesAlong(text, scored, CODE, MODEL, shift)[0]?.chance ?? 0;
    const most = shiftOf({ known: 2000, right: 2000, expected: 0, variance: 1 });
    expect(most).toBe(1);
    expect(Math.log(at(most) / (1 - at(most))) - Math.log(at(0) / (1 - at(0)))).toBeCloseTo(1);
  });
});
