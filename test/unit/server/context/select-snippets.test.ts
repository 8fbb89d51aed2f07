import { describe, expect, it } from 'vitest';
import type { ContextCandidate } from '../../../../server/src/context/context-source.js';
import { selectSnippets } from '../../../../server/src/context/select-snippets.js';

function candidate(path: string, text: string, score: number, line = 0): ContextCandidate {
  return { path, text: `${text}\n`, score, line, fileKey: path, why: 'openFile' };
}

function select(
  candidates: readonly ContextCandidate[],
  { previous = [] as readonly ContextCandidate[], budgetTokens = 200, shownLines = [] as readonly string[] } = {},
): string[] {
  return selectSnippets({ candidates, previous, budgetTokens, shownLines }).map(({ path, text }) => path + text.trim());
}

const A = candidate('a', 'function alpha() {}', 0.9);
const B = candidate('b', 'function beta() {}', 0.8);
const C = candidate('c', 'function gamma() {}', 0.7);

describe('selectSnippets', () => {
  it('puts the best nearest to the code', () => {
    expect(select([B, A, C])).toEqual(select([C, B, A]));
    expect(select([A, B, C]).map((each) => each[0])).toEqual(['c', 'b', 'a']);
  });

  it('leaves shown snippets in place, and adds new ones behind them', () => {
    expect(select([A, B, C], { previous: [B] }).map((each) => each[0])).toEqual(['b', 'c', 'a']);
    expect(select([A, B, C], { previous: [A, C] }).map((each) => each[0])).toEqual(['a', 'c', 'b']);
  });

  it('keeps a shown snippet against a slightly better one', () => {
    const budgetTokens = 12;
    expect(select([A, C], { budgetTokens }).map((each) => each[0])).toEqual(['a']);
    expect(select([A, C], { budgetTokens, previous: [C] }).map((each) => each[0])).toEqual(['c']);
    expect(select([A, { ...C, score: 0.3 }], { budgetTokens, previous: [C] }).map((each) => each[0])).toEqual(['a']);
  });

  it('keeps snippets of one file together, in its order', () => {
    const first = candidate('b', 'function first() {}', 0.1, 1);
    const last = candidate('b', 'function last() {}', 0.95, 9);
    expect(select([A, last, C, first])).toEqual([
      'cfunction gamma() {}',
      'afunction alpha() {}',
      'bfunction first() {}',
      'bfunction last() {}',
    ]);
  });

  it('leaves out text that the prompt contains anyway, from any file', () => {
    expect(select([A, B], { shownLines: ['  function alpha() {}'] }).map((each) => each[0])).toEqual(['b']);
    expect(select([A, { ...A, path: 'other', score: 0.5 }])).toHaveLength(1);
    expect(select([candidate('a', '}\n', 0.9)])).toEqual([]);
  });

  it('takes no second snippet that overlaps with one of the same file', () => {
    const whole = candidate('a', 'function alpha() {}\nconst one = 1;\nconst two = 2;', 0.5);
    expect(select([A, whole]).map((each) => each[0])).toEqual(['a']);
    expect(select([A, { ...whole, path: 'z' }])).toHaveLength(2);
  });

  it('stays within its budget, and continues with shorter ones', () => {
    const long = candidate('long', 'const value = compute();\n'.repeat(40), 1);
    expect(select([long, A, B], { budgetTokens: 30 }).map((each) => each[0])).toEqual(['b', 'a']);
    expect(select([A], { budgetTokens: 0 })).toEqual([]);
  });
});

it('reads each of very many candidates about once, however many there are', () => {
  const readsFor = (count: number): number => {
    let reads = 0;
    const many = Array.from({ length: count }, (_, index) => {
      const made = candidate('a', 'export declare function overloaded(): void;', 0.5 + (index % 97) / 1000, index);
      const { text } = made;
      return Object.defineProperty({ ...made }, 'text', {
        get: () => {
          reads++;
          return text;
        },
      });
    });
    expect(select(many)).toHaveLength(1);
    return reads;
  };
  // Some of them are compared with those that were chosen.
  for (const count of [2_000, 32_000]) expect(readsFor(count) / count, `${count}`).toBeLessThan(4);
});
