import { describe, expect, it } from 'vitest';
import { EAGERNESS } from '../../../../../server/protocol/index.js';
import { chancesAlong, GATES, gateFor, passGate } from '../../../../../server/src/completion/confidence/gate.js';
import { GATE_MODEL } from '../../../../../server/src/completion/confidence/gate-model.js';
import { shiftOf } from '../../../../../server/src/completion/confidence/learned-odds.js';
import type { TextPlace } from '../../../../../server/src/completion/confidence/sensible-ends.js';
import type { ScoredPiece } from '../../../../../server/src/completion/request/scored-text.js';

const CODE: TextPlace = { languageId: 'typescript', scope: 'code', linePrefix: 'const total = ' };

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
  return text.slice(0, passGate(text, chancesAlong(text, scored, place, GATE_MODEL, 0), gate).end);
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

  it('asks for more, the calmer it is', () => {
    const doubtful = [
      ['possibleName', 0.2],
      ['();', 0.8],
    ] as const;
    expect(shown([...doubtful], GATES.calm)).toBe('');
    expect(shown([...doubtful], GATES.eager)).not.toBe('');
  });

  it('wants more of a suggestion inside a word that is typed fast, and goes as far', () => {
    const inWord = { ...CODE, linePrefix: 'const tot' };
    for (const eagerness of EAGERNESS) {
      const { worth, ...others } = GATES[eagerness];
      const inside = gateFor(eagerness, inWord, 80);
      expect(inside).toMatchObject(others);
      expect(inside.worth).toBeGreaterThan(worth);
      expect(gateFor(eagerness, inWord, 900)).toBe(GATES[eagerness]);
      expect(gateFor(eagerness, CODE, 80)).toBe(GATES[eagerness]);
    }
  });
});

describe('what passes', () => {
  const GATE = { worth: 2, sure: 0.5, short: 0.9 };
  /** @param chances each with the text up to there */
  const passed = (...chances: readonly (readonly [text: string, chance: number])[]) => {
    const text = chances.at(-1)?.[0] ?? '';
    const beginnings = chances.map(([beginning, chance]) => ({ end: beginning.length, chance }));
    const { end, chance, tooShort } = passGate(text, beginnings, GATE);
    return { shown: text.slice(0, end), chance, tooShort };
  };
  const hidden = (chance: number, tooShort = false) => ({ shown: '', chance, tooShort });
  const as = (text: string, chance: number) => ({ shown: text, chance, tooShort: false });

  it('is a text as far as it is sure', () => {
    expect(passed(['abcdef', 0.9], ['abcdef ghi', 0.6], ['abcdef ghi jkl', 0.4])).toEqual(as('abcdef ghi', 0.6));
  });

  it('is the first words where they are not sure, as soon as they are worth it', () => {
    expect(passed(['abcdefghij', 0.2], ['abcdefghij kl', 0.1])).toEqual(as('abcdefghij', 0.2));
    expect(passed(['abcdefghij', 0.19], ['abcdefghij kl', 0.1])).toEqual(hidden(0.19));
    // A lower chance of more characters.
    expect(passed(['abcdefghijklmnopqrst', 0.1])).toEqual(as('abcdefghijklmnopqrst', 0.1));
  });

  it('is a short text only where it is nearly sure', () => {
    expect(passed(['abc', 0.95])).toEqual(as('abc', 0.95));
    expect(passed(['abc', 0.85])).toEqual(hidden(0.85, true));
    // Blanks save no typing.
    expect(passed(['     abc', 0.85])).toEqual(hidden(0.85, true));
  });

  it('is a sure short text rather than unsure longer words that save no more', () => {
    expect(passed(['abc', 0.95], ['abc.longerName', 0.18])).toEqual(as('abc', 0.95));
    expect(passed(['abc', 0.95], ['abc.longerName', 0.3])).toEqual(as('abc.longerName', 0.3));
  });

  it('is nothing of nothing', () => {
    expect(passed()).toEqual(hidden(0, true));
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
    const chances = chancesAlong(text, scored, CODE, GATE_MODEL, 0).map(({ chance }) => chance);
    expect(chances).toEqual([...chances].sort((left, right) => right - left));
    for (const chance of chances) expect(chance > 0 && chance < 1).toBe(true);
  });

  it('grows with the probability of each piece', () => {
    const chance = (probability: number) => {
      const { text, pieces: scored } = pieces(['total', probability]);
      return chancesAlong(text, scored, CODE, GATE_MODEL, 0)[0]?.chance ?? 0;
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
    for (const { chance } of chancesAlong('total();', scored, CODE, GATE_MODEL, 0)) expect(chance).not.toBeNaN();
  });

  it('moves with what the user accepts, and no further than one in log-odds', () => {
    const { text, pieces: scored } = pieces(['total', 0.3]);
    const at = (shift: number) => chancesAlong(text, scored, CODE, GATE_MODEL, shift)[0]?.chance ?? 0;
    const most = shiftOf({ known: 2000, right: 2000, expected: 0, variance: 1 });
    expect(most).toBe(1);
    expect(Math.log(at(most) / (1 - at(most))) - Math.log(at(0) / (1 - at(0)))).toBeCloseTo(1);
  });
});
