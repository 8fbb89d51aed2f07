import { afterAll, describe, expect, it } from 'vitest';
import { syntaxTrees } from '../../../../support/code/grammars.js';
import { type Offered, RepeatedInFiles } from '../../../../support/code/repeated-in-files.js';

const LIMIT_MS = 120_000;

const trees = syntaxTrees();
const files = new RepeatedInFiles(trees);

afterAll(() => trees.dispose());

function found(offered: readonly Offered[]): number {
  const sum = (of: (each: Offered) => number) => offered.reduce((total, each) => total + of(each), 0);
  const right = sum((each) => each.right);
  return right / (right + sum(({ missed }) => missed));
}

/** Twenty lines hide most of what reads alike, so these are whole files, and all of them at once. */
describe('in whole files', () => {
  it(
    'a renamed declaration is offered where the compiler sees it, and nowhere else',
    async () => {
      const offered = await files.renames();
      expect(offered.length).toBeGreaterThan(500);
      expect(offered.flatMap(({ wrong }) => wrong)).toEqual([]);
      // Methods are called on objects whose class the grammar does not know.
      expect(found(offered.filter(({ of }) => of.kind !== 'method'))).toBeGreaterThan(0.99);
      expect(found(offered.filter(({ of }) => of.kind === 'method'))).toBeGreaterThan(0.5);
    },
    LIMIT_MS,
  );

  it(
    'an added parameter is offered to calls of that very function',
    async () => {
      const offered = await files.addedParameters();
      expect(offered.length).toBeGreaterThan(50);
      expect(offered.flatMap(({ wrong }) => wrong)).toEqual([]);
      expect(found(offered.filter(({ of }) => of.kind === 'function'))).toBeGreaterThan(0.9);
    },
    LIMIT_MS,
  );
});
