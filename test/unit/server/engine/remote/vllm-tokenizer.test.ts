import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { HttpClient } from '../../../../../server/src/engine/remote/http/http-client.js';
import { openOpenAiServer } from '../../../../../server/src/engine/remote/kinds/openai-server.js';

const never = new AbortController().signal;

/** Each character is its own token. */
class TokenizingHost {
  readonly host = 'gpu:1';
  asked = 0;
  most = 0;
  #running = 0;

  async get() {
    return { data: [{ id: 'coder' }] };
  }

  async post(_path: string, { prompt }: { readonly prompt: string }) {
    this.asked += 1;
    this.#running += 1;
    this.most = Math.max(this.most, this.#running);
    await nextTurn();
    this.#running -= 1;
    return { tokens: Array.from(prompt, (character) => character.charCodeAt(0)) };
  }
}

it('asks for the pieces of a text that spells many special tokens together, and a few at a time', async () => {
  const host = new TokenizingHost();
  const model = await openOpenAiServer(host as unknown as HttpClient, '', never);
  expect(model.facts.server).toBe('vllm');
  host.asked = 0;
  host.most = 0;
  const text = 'a<|fim_pad|>b'.repeat(40);
  expect(await model.tokenize(text, false, never)).toEqual(Array.from(text, (each) => each.charCodeAt(0)));
  expect(host.asked).toBeGreaterThan(40);
  expect(host.most).toBe(8);
});
