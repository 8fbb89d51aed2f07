import { describe, expect, it } from 'vitest';
import type { RewriteAnswer } from '../../../../../server/src/next-edit/formats/rewrite-format.js';
import { judgeRewrite } from '../../../../../server/src/next-edit/quiet/judge-rewrite.js';
import { gateOf } from '../../../../../server/src/next-edit/quiet/rewrite-gate.js';
import { QUESTION } from '../formats/questions.js';

const SURE = { departure: { verified: 3, margin: 8 }, decoded: [-0.001, -0.001] };
const STARTER = gateOf({ isStarter: true });
const EDITS = [{ path: 'src/a.ts', line: 1, original: 'sum(two);', updated: 'sum(two, rate);' }];
const CURRENT = 'const one = 2;\nsum(one);\n';
const REPEATED = 'const one = 2;\nsum(one, rate);\n';

const judged = (region: string, evidence: object = SURE, addsErrors = () => false) =>
  judgeRewrite(
    { ...SURE, ...evidence, answer: { kind: 'rewritten', region } },
    { current: CURRENT, edits: EDITS },
    STARTER,
    addsErrors,
  );

describe('shown', () => {
  it('is a sure rewrite, as its smallest change', () => {
    expect(judged(REPEATED)).toMatchObject({ kind: 'show', change: { start: 22, end: 22, newText: ', rate' } });
  });
});

describe('silent is', () => {
  it.each<[string, RewriteAnswer]>([
    ['unchanged', { kind: 'unchanged' }],
    ['unchanged', { kind: 'rewritten', region: CURRENT }],
    ['damaged', { kind: 'damaged', why: 'noMarkers' }],
    ['onlyBlanks', { kind: 'rewritten', region: 'const one = 2;\n\n  sum( one);\n' }],
    ['tooMuch', { kind: 'rewritten', region: `${'one();\n'.repeat(9)}${CURRENT}` }],
  ])('%s', (reason, answer) => {
    expect(judgeRewrite({ ...SURE, answer }, { ...QUESTION, current: CURRENT }, STARTER, () => false)).toEqual({
      kind: 'silent',
      reason,
    });
  });

  it('a departure of which nobody knows how sure it is', () => {
    expect(judged(REPEATED, { departure: null })).toEqual({ kind: 'silent', reason: 'unsure' });
  });

  it('a departure that was nearly the old text', () => {
    const unsure = { departure: { verified: 3, margin: 0.01 }, decoded: [-2, -4] };
    expect(judged('const one = 2;\nnever(one);\n', unsure)).toEqual({ kind: 'silent', reason: 'unsure' });
  });

  it('what adds a syntax error, which is asked only of what would be shown', () => {
    const asked: unknown[] = [];
    const addsErrors = (change: unknown) => asked.push(change) > 0;
    expect(judgeRewrite({ ...SURE, answer: { kind: 'unchanged' } }, QUESTION, STARTER, addsErrors).kind).toBe('silent');
    expect(asked).toEqual([]);
    const answer = { kind: 'rewritten', region: REPEATED } as const;
    expect(judgeRewrite({ ...SURE, answer }, { current: CURRENT, edits: EDITS }, STARTER, addsErrors)).toEqual({
      kind: 'silent',
      reason: 'newSyntaxError',
    });
    expect(asked).toHaveLength(1);
  });

  it.each([
    ['an insertion', 'sum(two);', 'sum(two, rate);', 'sum(one, rate);\n', 'sum(one);\n'],
    ['a removal', 'log(two);\nsum(two);', 'sum(two);', 'sum(one);\n', 'log(two);\nsum(one);\n'],
    ['a replacement', 'let a = sum;', 'let a = total;', 'b = total;\n', 'b = sum;\n'],
  ])('what takes back %s', (_, original, updated, current, region) => {
    const edits = [{ path: 'a', line: 1, original, updated }];
    const rewrite = { ...SURE, answer: { kind: 'rewritten', region } } as const;
    expect(judgeRewrite(rewrite, { current, edits }, STARTER, () => false)).toEqual({
      kind: 'silent',
      reason: 'takesBack',
    });
  });
});
