import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type {
  NativeEngine,
  NativeFimTokens,
  NativeGenerateRequest,
  NativeGenerationResult,
} from '../../../server/src/engine/addon/addon-types.js';
import type { PromptPart } from '../../../server/src/engine/port/generation.js';
import { openAddon, STARTER_MODEL, testedFlavours } from '../../support/addon.js';
import { sureArgument } from '../../support/code/sure-code.js';

/** Greedy decoding continues after this up to its limit: the model repeats itself. */
const ENDLESS = '// Numbers.\nfunction double(n: number): number {\n';

describe.each(testedFlavours())('generate (%s)', (flavour) => {
  let engine: NativeEngine;
  let fim: NativeFimTokens;

  beforeAll(async () => {
    engine = new (openAddon(flavour).Engine)();
    const facts = await engine.load({ path: STARTER_MODEL, contextLength: 512, threads: 1 });
    fim = facts.fim!;
  });
  afterAll(() => engine.close());

  interface Streamed extends NativeGenerationResult {
    readonly pieces: readonly string[];
  }

  async function generate(request: Partial<NativeGenerateRequest> = {}): Promise<Streamed> {
    const pieces: string[] = [];
    const { result } = engine.generate({ prompt: [ENDLESS], maxTokens: 32, ...request }, (text) => pieces.push(text));
    return { ...(await result), pieces };
  }

  function fillInTheMiddle(prefix: string, suffix: string): readonly PromptPart[] {
    return [fim.prefix, prefix, fim.suffix, suffix, fim.middle];
  }

  describe('the answer', () => {
    test('is the same each time, in tokens and in text', async () => {
      const first = await generate();
      const second = await generate();
      expect(second.tokens).toEqual(first.tokens);
      expect(second.text).toBe(first.text);
      expect(first.text).not.toBe('');
    });

    test('is the same each time with more than one thread too', async () => {
      const threaded = new (openAddon(flavour).Engine)();
      await threaded.load({ path: STARTER_MODEL, contextLength: 512, threads: 2 });
      const run = () => threaded.generate({ prompt: [ENDLESS], maxTokens: 8 }).result;
      const first = await run();
      expect(first.tokens).toHaveLength(8);
      expect((await run()).tokens).toEqual(first.tokens);
      await threaded.close();
    });

    test('equals the streamed pieces, and the text of its tokens', async () => {
      const { text, tokens, pieces } = await generate();
      expect(pieces.join('')).toBe(text);
      expect(pieces.every((piece) => piece !== '')).toBe(true);
      expect(await engine.detokenize(tokens)).toBe(text);
    });

    test('fills in the middle of code and ends on its own', async () => {
      const { text: code, offset, expected } = sureArgument();
      const { text, stopReason } = await generate({
        prompt: fillInTheMiddle(code.slice(0, offset), code.slice(offset)),
      });
      expect(text).toBe(expected);
      expect(stopReason).toBe('endOfText');
    });

    test('comes without a listener too', async () => {
      const { text } = await generate();
      expect(await engine.generate({ prompt: [ENDLESS], maxTokens: 32 }).result).toMatchObject({ text });
    });

    test('does not depend on how the prompt is divided into text and tokens', async () => {
      const tokens = await engine.tokenize(ENDLESS);
      const { text } = await generate();
      expect((await generate({ prompt: [...tokens] })).text).toBe(text);
      expect((await generate({ prompt: ['', ...tokens, ''] })).text).toBe(text);
    });

    test('treats user text that spells special tokens as text', async () => {
      const { metrics } = await generate({ prompt: ['<|fim_prefix|>a<|fim_suffix|>b<|fim_middle|>'], maxTokens: 1 });
      expect(metrics.promptTokens).toBeGreaterThan(10);
    });

    test('never shows part of a character', async () => {
      const { pieces, text } = await generate({ prompt: [`const squids = '${'🦑'.repeat(14)}`] });
      expect(text).toContain('🦑🦑');
      // Half a character would become the replacement character here or in the engine.
      for (const piece of pieces) expect(Buffer.from(piece).toString()).not.toContain('\ufffd');
    });
  });

  describe('stops', () => {
    test('after maxTokens', async () => {
      for (const maxTokens of [1, 2, 17]) {
        const result = await generate({ maxTokens });
        expect(result.stopReason).toBe('maxTokens');
        expect(result.tokens).toHaveLength(maxTokens);
        expect(result.metrics.generatedTokens).toBe(maxTokens);
      }
    });

    test('before a stop text, across any token boundaries', async () => {
      const whole = await generate();
      for (const stop of ['\n', 'n', 'return', ' * 2;', whole.text.slice(5, 15)]) {
        const { text, stopReason, pieces } = await generate({ stop: [stop] });
        expect(stopReason).toBe('stopText');
        expect(text).toBe(whole.text.slice(0, whole.text.indexOf(stop)));
        expect(pieces.join('')).toBe(text);
      }
    });

    test('at the first of several stop texts; empty ones and those that never come do not count', async () => {
      const whole = await generate();
      const { text } = await generate({ stop: ['', 'NEVER', '}', ';'] });
      expect(text).toBe(whole.text.slice(0, whole.text.search(/[};]/)));
      const unstopped = await generate({ stop: ['', 'NEVER'] });
      expect(unstopped).toMatchObject({ text: whole.text, stopReason: 'maxTokens' });
    });

    test('returns text held back for a stop text that did not come', async () => {
      const whole = await generate();
      const almost = `${whole.text.slice(-6)}NEVER`;
      expect(await generate({ stop: [almost] })).toMatchObject({ text: whole.text, stopReason: 'maxTokens' });
    });

    test('at a stop token, given as an array or an Int32Array', async () => {
      const { tokens } = await generate();
      const stopToken = tokens[6]!;
      const expected = tokens.slice(0, tokens.indexOf(stopToken));
      for (const stopTokens of [[stopToken], new Int32Array([stopToken]) as unknown as readonly number[]]) {
        const result = await generate({ stopTokens });
        expect(result.stopReason).toBe('endOfText');
        expect(result.tokens).toEqual(expected);
      }
    });

    test('with special tokens in its text if requested', async () => {
      const [special] = await engine.tokenize('<|im_start|>', { parseSpecial: true });
      const [newline] = await engine.tokenize('\n');
      const begin = [newline!, special!];
      expect((await generate({ begin, maxTokens: 2 })).text).toBe('\n');
      expect((await generate({ begin, maxTokens: 2, spelledTokens: [special!, newline!] })).text).toBe(
        '\n<|im_start|>',
      );
    });

    test('when the context is full, and refuses a prompt that does not fit', async () => {
      const line = 'value = compute(value)\n';
      const tokens = await engine.tokenize(line.repeat(200));
      expect(tokens.length).toBeGreaterThan(513);

      const nearlyFull = await generate({ prompt: [...tokens.subarray(0, 505)], maxTokens: 64 });
      expect(nearlyFull.stopReason).toBe('contextFull');
      expect(nearlyFull.tokens.length).toBeGreaterThanOrEqual(7);
      expect(nearlyFull.tokens.length).toBeLessThanOrEqual(8);

      const full = await generate({ prompt: [...tokens.subarray(0, 512)], maxTokens: 64 });
      expect(full.tokens.length).toBeLessThanOrEqual(1);

      await expect(generate({ prompt: [...tokens.subarray(0, 513)] })).rejects.toMatchObject({
        code: 'promptTooLong',
        message: expect.stringMatching(/513.*512/),
      });
      expect((await generate()).tokens).toHaveLength(32);
    });

    test('when its time budget is spent, with the text so far', async () => {
      const { stopReason, tokens, text } = await generate({ maxTokens: 480, timeBudgetMs: 1 });
      expect(stopReason).toBe('timeBudget');
      expect(tokens.length).toBeLessThan(480);
      expect(await engine.detokenize(tokens)).toBe(text);
      expect((await generate({ timeBudgetMs: 600_000 })).stopReason).toBe('maxTokens');
      expect((await generate({ timeBudgetMs: 0 })).stopReason).toBe('maxTokens');
    });
  });

  describe('abort', () => {
    test('before it starts resolves with nothing, and without a prefill', async () => {
      // Keeps the engine busy until this thread has reached the next line.
      const busy = engine.generate({ prompt: ['// Something else.\n', ENDLESS], maxTokens: 400, speculation: 'off' });
      const generation = engine.generate({ prompt: [ENDLESS], maxTokens: 400 }, () => expect.unreachable());
      generation.abort();
      busy.abort();
      const result = await generation.result;
      expect(result.stopReason).toBe('aborted');
      expect(result.tokens.length).toBeLessThan(400);
    });

    test('while waiting behind another does not affect that one', async () => {
      const busy = engine.generate({ prompt: ['// Something else.\n', ENDLESS], maxTokens: 400, speculation: 'off' });
      const first = engine.generate({ prompt: [ENDLESS], maxTokens: 32 });
      const second = engine.generate({ prompt: [ENDLESS], maxTokens: 400 }, () => expect.unreachable());
      const third = engine.generate({ prompt: [ENDLESS], maxTokens: 32 });
      second.abort();
      busy.abort();
      const { text } = await first.result;
      const aborted = await second.result;
      expect(aborted).toMatchObject({ stopReason: 'aborted', text: '', tokens: [] });
      expect(aborted.metrics.evaluatedTokens).toBe(0);
      expect(await third.result).toMatchObject({ text, stopReason: 'maxTokens' });
    });

    test('during the generation keeps the text so far', async () => {
      let shown = '';
      const generation = engine.generate({ prompt: [ENDLESS], maxTokens: 480 }, (text) => {
        shown += text;
        generation.abort();
        generation.abort();
      });
      const { text, tokens, stopReason } = await generation.result;
      expect(stopReason).toBe('aborted');
      expect(tokens.length).toBeGreaterThan(0);
      expect(tokens.length).toBeLessThan(480);
      expect(shown).toBe(text);
      expect((await generate({ maxTokens: 480 })).text.startsWith(text)).toBe(true);
    });

    test('after the end is a no-op', async () => {
      const generation = engine.generate({ prompt: [ENDLESS], maxTokens: 4 });
      const { text } = await generation.result;
      generation.abort();
      expect((await generate({ maxTokens: 4 })).text).toBe(text);
    });

    test('works as a detached function', async () => {
      const { abort, result } = engine.generate({ prompt: [ENDLESS], maxTokens: 480 });
      abort();
      expect((await result).stopReason).toBe('aborted');
    });
  });

  describe('a listener that throws', () => {
    test.each([
      ['an error', new RangeError('from onText')],
      ['a text', 'thrown text'],
      ['undefined', undefined],
      ['a frozen object', Object.freeze({ name: 'frozen' })],
    ])('%s ends the generation with it, and the engine stays usable', async (_, thrown) => {
      let calls = 0;
      const { result } = engine.generate({ prompt: [ENDLESS], maxTokens: 480 }, () => {
        calls += 1;
        throw thrown;
      });
      const outcome = await result.then(
        () => ({ kind: 'resolved' }),
        (reason: unknown) => ({ kind: 'rejected', reason }),
      );
      expect(outcome).toEqual({ kind: 'rejected', reason: thrown });
      expect(calls).toBe(1);
      expect((await generate()).stopReason).toBe('maxTokens');
    });
  });

  describe('several at once', () => {
    test('run one after the other and keep their own texts', async () => {
      const prompts = ['def add(a, b):\n    return ', 'const x = ', 'class Point {\n', ENDLESS];
      const alone: string[] = [];
      for (const prompt of prompts) alone.push((await generate({ prompt: [prompt], maxTokens: 16 })).text);
      const together = await Promise.all(prompts.map((prompt) => generate({ prompt: [prompt], maxTokens: 16 })));
      expect(together.map(({ text }) => text)).toEqual(alone);
      expect(together.map(({ pieces }) => pieces.join(''))).toEqual(alone);
      expect(together.at(-1)!.metrics.queuedMs).toBeGreaterThan(together[0]!.metrics.queuedMs);
    });

    test('can be started from a listener', async () => {
      let inner: Promise<Streamed> | undefined;
      const outer = engine.generate({ prompt: [ENDLESS], maxTokens: 8 }, () => {
        inner ??= generate({ maxTokens: 8 });
      });
      const { text } = await outer.result;
      expect((await inner)?.text).toBe(text);
    });
  });

  test('the event loop turns while a generation runs', async () => {
    const { result } = engine.generate({ prompt: ['value = 1\n'.repeat(100)], maxTokens: 64 });
    let turns = 0;
    let ended = false;
    void result.finally(() => {
      ended = true;
    });
    while (!ended) {
      await delay(1);
      turns += 1;
    }
    expect(turns).toBeGreaterThan(3);
  });
});
