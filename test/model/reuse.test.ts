import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NativeEngine, NativeGenerationResult } from '../../server/src/engine/addon/addon-types.js';
import type { PromptPart } from '../../server/src/engine/port/generation.js';
import { openAddon, STARTER_MODEL } from '../support/addon.js';
import { anchorIn, readFixture } from '../support/code/fixtures.js';

/** Real code that the model was not trained on. */
const SOURCE = readFixture('model/stop-rule.ts');

let engine: NativeEngine;
let fresh: NativeEngine;

beforeAll(async () => {
  const addon = openAddon();
  engine = new addon.Engine();
  fresh = new addon.Engine();
  for (const each of [engine, fresh]) await each.load({ path: STARTER_MODEL, contextLength: 2048, threads: 1 });
});

afterAll(async () => {
  await engine.close();
  await fresh.close();
});

/** Completes the line of this offset; the text before and after that line is fixed. */
function complete(subject: NativeEngine, offset: number): Promise<NativeGenerationResult> {
  const fim = subject.facts?.fim;
  if (!fim) throw new Error('the starter model has FIM tokens');
  const lineStart = SOURCE.lastIndexOf('\n', offset - 1) + 1;
  const lineEnd = SOURCE.indexOf('\n', offset);
  const prefix = SOURCE.slice(Math.max(0, lineStart - 800), lineStart);
  const suffix = SOURCE.slice(lineEnd, lineEnd + 300);
  const prompt: PromptPart[] = [fim.prefix, prefix, fim.suffix, suffix, fim.middle, SOURCE.slice(lineStart, offset)];
  const sectionBoundaries = [0, 2, 4];
  return subject.generate({ prompt, sectionBoundaries, heal: true, maxTokens: 16, stop: ['\n'] }).result;
}

/** A line of some length, typed character by character. */
const LINE_START = anchorIn(SOURCE, '  const firstLine = linePrefix') + 2;
const LINE_LENGTH = anchorIn(SOURCE, '\n', LINE_START) - LINE_START;

describe('typing a line', () => {
  it('answers at every character like an engine that sees the document for the first time', async () => {
    for (let typed = 1; typed < LINE_LENGTH; typed += 3) {
      const known = await complete(engine, LINE_START + typed);
      // Another place in between, so that nothing of the line can be reused.
      await complete(fresh, 60);
      const unknown = await complete(fresh, LINE_START + typed);
      expect(known.text).toBe(unknown.text);
      expect(known.tokens).toEqual(unknown.tokens);
      expect(known.logProbabilities).toEqual(unknown.logProbabilities);
      expect(known.stopReason).toBe(unknown.stopReason);
    }
  });

  it('evaluates a few tokens per keystroke, and none while the user types along the suggestion', async () => {
    const evaluated: number[] = [];
    await complete(engine, LINE_START + 1);
    for (let typed = 2; typed < LINE_LENGTH; typed++) {
      const { metrics } = await complete(engine, LINE_START + typed);
      if (metrics.replayedTokens === metrics.generatedTokens) expect(metrics.evaluatedTokens).toBe(0);
      // Besides generated tokens, only those after the nearest checkpoint and rejected drafts.
      expect(metrics.promptTokens - metrics.reusedTokens).toBeLessThanOrEqual(8);
      evaluated.push(metrics.evaluatedTokens);
    }
    evaluated.sort((left, right) => left - right);
    expect(evaluated[Math.floor(evaluated.length / 2)]).toBeLessThan(20);
  });
});
