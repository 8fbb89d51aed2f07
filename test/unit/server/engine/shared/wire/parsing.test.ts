import { describe, expect, it } from 'vitest';
import { ResponseError } from 'vscode-jsonrpc/node';
import { EngineError } from '../../../../../../server/src/engine/port/engine-error.js';
import type { GenerateRequest } from '../../../../../../server/src/engine/port/generation.js';
import { parseFacts, parseLoaded, parseResult } from '../../../../../../server/src/engine/shared/wire/parse-answer.js';
import { parseGenerate } from '../../../../../../server/src/engine/shared/wire/parse-request.js';
import { fromWire, toResponseError } from '../../../../../../server/src/engine/shared/wire/wire-error.js';
import { FACTS, RESULT } from './answers.js';

/** As it comes out of the socket. */
const sent = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** Every field of the port: a forgotten one is a type error. */
const REQUEST: Required<GenerateRequest> = {
  prompt: ['const a = ', 5, ''],
  maxTokens: 0,
  stop: ['\n'],
  stopTokens: [1],
  endsWithFile: true,
  spelledTokens: [2],
  timeBudgetMs: 0,
  sampling: { temperature: 0.7, topK: 40, topP: 0.9, seed: 5 },
  sectionBoundaries: [1, 3],
  whenContextFull: 'shift',
  heal: true,
  draft: 'x',
  proposal: 'y',
  begin: [3],
  runnersUp: true,
  speculation: 'optimistic',
  slot: 'chat',
  priority: 'background',
};

describe('a request', () => {
  it('arrives as it was asked', () => {
    expect(parseGenerate(sent({ request: REQUEST, progress: 3 }))).toEqual({ request: REQUEST, progress: 3 });
    const least = { prompt: ['a'], maxTokens: 4, stop: undefined };
    expect(parseGenerate(sent({ request: least, progress: 3 })).request).toEqual({ prompt: ['a'], maxTokens: 4 });
  });
});

describe('an answer', () => {
  it('arrives as the engine gave it, with probabilities of zero', () => {
    expect(parseResult(sent(RESULT))).toEqual(RESULT);
    expect(parseFacts(sent(FACTS))).toEqual(FACTS);
    expect(parseFacts(sent({ ...FACTS, fim: null, languages: null, bosToken: 0 })).bosToken).toBe(0);
  });

  it('to a load is the model with the drawback of its plan', () => {
    const drawback = { code: 'deviceUnusable', message: 'The processor is used.' };
    expect(parseLoaded(sent({ facts: FACTS, drawback }))).toEqual({ facts: FACTS, drawback });
    expect(parseLoaded(sent({ facts: FACTS, drawback: null }))).toEqual({ facts: FACTS, drawback: null });
    for (const wrong of [
      null,
      FACTS,
      { facts: FACTS, drawback: 7 },
      { facts: FACTS, drawback: { code: 'odd', message: '' } },
    ]) {
      expect(() => parseLoaded(sent(wrong))).toThrow(expect.objectContaining({ code: 'ownerLost' }));
    }
  });

  it.each(Object.keys(RESULT))('without %s is none', (name) => {
    const { [name]: _, ...rest } = sent(RESULT) as Record<string, unknown>;
    expect(() => parseResult(rest)).toThrow(expect.objectContaining({ code: 'ownerLost' }));
  });

  it.each(Object.keys(FACTS))('without %s is no description', (name) => {
    const { [name]: _, ...rest } = sent(FACTS) as Record<string, unknown>;
    expect(() => parseFacts(rest)).toThrow(expect.objectContaining({ code: 'ownerLost' }));
  });
});

describe('an error', () => {
  it('keeps its code and message', () => {
    const error = new EngineError('promptTooLong', 'The prompt is too long');
    expect(fromWire(toResponseError(error)).info).toEqual(error.info);
    expect(fromWire(toResponseError(new Error('What?'))).info).toEqual({ code: 'internal', message: 'What?' });
  });

  it('without a code of ours is a lost owner, and a long message is cut', () => {
    expect(fromWire(new ResponseError(1, 'x', { code: 'root' })).code).toBe('ownerLost');
    expect(fromWire(new Error('closed')).code).toBe('ownerLost');
    const endless = new ResponseError(1, 'x'.repeat(1e6), { code: 'internal' });
    expect(fromWire(endless).message.length).toBeLessThan(300);
  });
});
