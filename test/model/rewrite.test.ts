import { afterAll, beforeAll, expect, it } from 'vitest';
import { editMessages } from '../../extension/src/inline-edit/edit-prompt.js';
import type { NativeEngine, NativeGenerationResult } from '../../server/src/engine/addon/addon-types.js';
import { openAddon, STARTER_MODEL } from '../support/addon.js';
import { readFixture } from '../support/code/fixtures.js';

const LINES = readFixture('model/stop-rule.ts').split('\n');
const PART = { uri: '', path: 'stop-rule.ts', languageId: 'typescript', lines: LINES, start: 10, end: 30 };
const MAX_TOKENS = 128;
/** The engine measures in pauses only. */
const IDLE_MS = 1_000;

let engine: NativeEngine;

beforeAll(async () => {
  const addon = openAddon();
  engine = new addon.Engine();
  await engine.load({ path: STARTER_MODEL, contextLength: 2048, threads: 1 });
});
afterAll(() => engine.close());

/** The question of an inline edit, up to the answer's fence. The starter goes on with the lines that it was shown. */
async function rewrite(speculation: 'off' | 'auto'): Promise<NativeGenerationResult> {
  const messages = editMessages(PART, null, { text: 'keep it as it is', rules: null });
  const prompt = [...messages.map(({ text }) => text), '```typescript\n'].join('\n\n');
  // Or the last completion would be the answer again.
  await engine.generate({ prompt: [0], maxTokens: 1, speculation: 'off' }).result;
  return engine.generate({ prompt: [prompt], maxTokens: MAX_TOKENS, speculation }).result;
}

it('a rewrite is verified where it copies its input, and says the same as one that is decoded', async () => {
  const decoded = await rewrite('off');
  expect(decoded.metrics).toMatchObject({ rounds: MAX_TOKENS - 1, acceptedDraftTokens: 0 });
  expect(LINES.join('\n')).toContain(decoded.text);
  // Drafts begin once the engine has measured what they cost, in its idle time. No other time matters here.
  let verified = decoded;
  await expect
    .poll(
      async () => {
        verified = await rewrite('auto');
        return verified.metrics.acceptedDraftTokens;
      },
      { interval: IDLE_MS, timeout: 150_000 },
    )
    .toBeGreaterThan(MAX_TOKENS / 2);
  const { rounds, acceptedDraftTokens, generatedTokens } = verified.metrics;
  expect(generatedTokens).toBe(MAX_TOKENS);
  // Each round decodes one token; the first comes with the prompt, and all others are copies that were verified.
  expect(rounds).toBe(generatedTokens - 1 - acceptedDraftTokens);
  expect(verified.text).toBe(decoded.text);
  expect(verified.tokens).toEqual(decoded.tokens);
});
