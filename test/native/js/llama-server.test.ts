import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NativeEngine } from '../../../server/src/engine/addon/addon-types.js';
import { decodePrompts } from '../../bench/decode/decode-prompts.js';
import { LlamaServer } from '../../bench/peer/llama-server.js';
import { openAddon, runnableFlavours, STARTER_MODEL } from '../../support/addon.js';
import { sureArgument } from '../../support/code/sure-code.js';
import { ownLlamaServer } from '../../support/hosts/own-llama-server.js';
import { REPOSITORY_ROOT } from '../../support/source-tree.js';

const program = ownLlamaServer();
/** The number of threads affects how ggml's kernels sum. */
const LOAD = { contextLength: 2048, threads: 2 };
const ANSWER_TOKENS = 48;

/** llama-server from the same objects, so with the same kernels: the test compares everything above them. */
describe.skipIf(program === null)('llama-server', () => {
  let engine: NativeEngine;
  let server: LlamaServer;

  beforeAll(async () => {
    const flavour = runnableFlavours().includes('avx2') ? 'avx2' : '';
    engine = new (openAddon(flavour).Engine)();
    await engine.load({ path: STARTER_MODEL, ...LOAD });
    server = await LlamaServer.start({ flavour: { program: program ?? '' }, model: STARTER_MODEL, ...LOAD });
  });
  afterAll(async () => {
    await server?.stop();
    await engine?.close();
  });

  /** Prompts for a block of code, one whose answer ends on its own, and a long one, read in several batches. */
  async function prompts(): Promise<readonly (readonly number[])[]> {
    const source = readFileSync(path.join(REPOSITORY_ROOT, 'test/fixtures/bench/shift-planner.ts'), 'utf8');
    const document = [...(await engine.tokenize(source))];
    return [
      ...(await decodePrompts(engine, 4)).map(({ tokens }) => tokens),
      await shortPrompt(),
      document.slice(0, 700),
    ];
  }

  /** Any model knows what is missing, and that nothing follows it. */
  async function shortPrompt(): Promise<readonly number[]> {
    const fim = engine.facts?.fim;
    if (!fim) throw new Error('the starter model has FIM tokens');
    const { text, offset } = sureArgument();
    const [prefix, suffix] = [await engine.tokenize(text.slice(0, offset)), await engine.tokenize(text.slice(offset))];
    return [fim.prefix, ...prefix, fim.suffix, ...suffix, fim.middle];
  }

  it('gives the same answer, token by token', async () => {
    let ended = 0;
    for (const prompt of await prompts()) {
      const expected = await server.complete(prompt, ANSWER_TOKENS);
      expect(expected.promptTokens).toBe(prompt.length);
      for (const speculation of ['off', 'auto'] as const) {
        // Forgets the last completion, so that it cannot be the answer again.
        await engine.generate({ prompt: [0], maxTokens: 1, speculation: 'off' }).result;
        const { tokens, stopReason } = await engine.generate({ prompt, maxTokens: ANSWER_TOKENS, speculation }).result;
        expect(tokens).toEqual(expected.tokens);
        ended += stopReason === 'endOfText' ? 1 : 0;
      }
    }
    expect(ended).toBeGreaterThan(0);
  });
});
