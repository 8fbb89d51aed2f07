import { describe, expect, it } from 'vitest';
import {
  contextBudget,
  estimateTokens,
  fitToBudget,
  suggestionContextLength,
} from '../../../../server/src/prompt/token-budget.js';

const LINES = Array.from({ length: 200 }, (_, index) => `line ${index} of the text\n`).join('');

describe('estimateTokens', () => {
  it('estimates more tokens for other scripts than for ASCII', () => {
    expect(estimateTokens('')).toBe(0);
    expect(estimateTokens('abc')).toBe(1);
    expect(estimateTokens('äöü')).toBeGreaterThan(estimateTokens('aou'));
  });
});

describe('fitToBudget', () => {
  it('keeps everything that fits', () => {
    expect(fitToBudget('a\n', 'b\n', 100)).toEqual({ prefix: 'a\n', suffix: 'b\n' });
  });

  it('keeps whole lines around the cursor, three quarters of them before it', () => {
    const { prefix, suffix } = fitToBudget(LINES, LINES, 400);
    expect(LINES.endsWith(prefix)).toBe(true);
    expect(LINES.startsWith(suffix)).toBe(true);
    expect(prefix.startsWith('line ')).toBe(true);
    expect(suffix.endsWith('\n')).toBe(true);
    expect(estimateTokens(prefix) + estimateTokens(suffix)).toBeLessThanOrEqual(401);
    // Its share is 300; a stable cut may cost a quarter of that.
    expect(estimateTokens(prefix)).toBeGreaterThan(225);
    expect(estimateTokens(suffix)).toBeGreaterThan(85);
  });

  it('cuts at the same place while lines are added below, so that the engine keeps its state', () => {
    const starts = new Set<string>();
    let text = LINES;
    for (let added = 0; added < 32; added++) {
      text += `added ${added} to the end\n`;
      starts.add(fitToBudget(text, 'end\n', 400).prefix.slice(0, 12));
    }
    // It would be 32 without the grid.
    expect(starts.size).toBeLessThanOrEqual(4);
  });

  it('gives one side the tokens that the other does not need', () => {
    expect(estimateTokens(fitToBudget(LINES, 'end\n', 400).prefix)).toBeGreaterThan(380);
    expect(estimateTokens(fitToBudget('start\n', LINES, 400).suffix)).toBeGreaterThan(380);
  });

  it('cuts inside a line that is too long, never inside a character', () => {
    const { prefix, suffix } = fitToBudget('🎉'.repeat(500), '🎉'.repeat(500), 100);
    expect(prefix.length).toBeGreaterThan(20);
    expect(suffix.length).toBeGreaterThan(10);
    expect([...(prefix + suffix)].every((character) => character === '🎉')).toBe(true);
  });

  it('works with a budget of 0', () => {
    expect(fitToBudget(LINES, LINES, 0)).toEqual({ prefix: '', suffix: '' });
  });
});

describe('suggestionContextLength', () => {
  it('holds the longest prompt, the answer and a margin, and changes in steps', () => {
    expect(suggestionContextLength(1536, 64)).toBe(2048);
    expect(suggestionContextLength(1536, 256)).toBe(2048);
    expect(suggestionContextLength(1536, 1024)).toBe(2816);
    expect(suggestionContextLength(8192, 64)).toBe(8704);
    for (const maxTokens of [1, 100, 1000]) {
      expect(suggestionContextLength(3072, maxTokens)).toBeGreaterThanOrEqual(3072 + maxTokens + 256);
    }
  });
});

describe('contextBudget', () => {
  it('gives other files three eighths of a short prompt, and more of a long one', () => {
    expect([0, 400, 1024].map(contextBudget)).toEqual([0, 150, 384]);
    const shares = [1024, 1536, 2048, 4096, 8192].map((tokens) => contextBudget(tokens) / tokens);
    expect(shares).toEqual([...shares].sort((left, right) => left - right));
    expect(shares.at(-1)).toBeCloseTo(0.59, 2);
  });
});
