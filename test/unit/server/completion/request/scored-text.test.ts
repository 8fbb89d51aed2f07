import { describe, expect, it } from 'vitest';
import { alignPieces, piecesBehind, piecesOf } from '../../../../../server/src/completion/request/scored-text.js';

const score = (length: number, logProbability: number) => ({ length, logProbability });

describe('the pieces of a text', () => {
  it('begin behind the tokens that only write what is typed', () => {
    expect(piecesOf([score(0, -3), score(0, -2), score(3, -0.5), score(2, -0.25)])).toEqual([
      { end: 3, logProbability: -0.5 },
      { end: 5, logProbability: -0.25 },
    ]);
  });

  it('count a token that writes no text of its own with the next one', () => {
    expect(piecesOf([score(1, -1), score(0, -2), score(2, -0.5)])).toEqual([
      { end: 1, logProbability: -1 },
      { end: 3, logProbability: -2.5 },
    ]);
  });

  it('are unknown where the engine does not tell, or sends what is no probability', () => {
    expect(piecesOf([])).toBeNull();
    expect(piecesOf([score(0, -1)])).toBeNull();
    for (const wrong of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0.5]) {
      expect(piecesOf([score(1, -1), score(1, wrong)])).toBeNull();
    }
  });

  it('lose what was typed', () => {
    const pieces = [
      { end: 3, logProbability: -0.5 },
      { end: 5, logProbability: -0.25 },
    ];
    expect(piecesBehind(pieces, 1)).toEqual([
      { end: 2, logProbability: -0.5 },
      { end: 4, logProbability: -0.25 },
    ]);
    expect(piecesBehind(pieces, 3)).toEqual([{ end: 2, logProbability: -0.25 }]);
  });
});

describe('the pieces of a filtered text', () => {
  /** Pieces of one word or sign each, with their places as probabilities. */
  const of = (parts: readonly string[]) => {
    let end = 0;
    return parts.map((part, index) => {
      end += part.length;
      return { end, logProbability: -index };
    });
  };
  const cut = (parts: readonly string[], text: string) => {
    let start = 0;
    return alignPieces(parts.join(''), text, of(parts)).map(({ end, logProbability }) => {
      const part = text.slice(start, end);
      start = end;
      return [part, -logProbability];
    });
  };

  it.each([
    [
      'the same text',
      ['a', ' + ', 'b'],
      'a + b',
      [
        ['a', 0],
        [' + ', 1],
        ['b', 2],
      ],
    ],
    ['an end cut off', ['a', ');', '\n}'], 'a', [['a', 0]]],
    ['a start cut off', ['total', ' = ', 'sum'], 'sum', [['sum', 2]]],
    [
      'other indentation',
      ['a;\n', '    ', 'b'],
      'a;\n\tb',
      [
        ['a;\n\t', 0],
        ['', 1],
        ['b', 2],
      ],
    ],
    [
      'closers added',
      ['f', '(a'],
      'f(a)',
      [
        ['f', 0],
        ['(a', 1],
      ],
    ],
  ])('with %s lie where their text lies', (_what, parts, text, expected) => {
    expect(cut(parts, text)).toEqual(expected);
  });

  it('take time that grows with the text', () => {
    const parts = Array.from({ length: 4_000 }, () => 'ab ');
    expect(alignPieces(parts.join(''), parts.join('').replaceAll(' ', '  '), of(parts))).toHaveLength(4_000);
  });
});
