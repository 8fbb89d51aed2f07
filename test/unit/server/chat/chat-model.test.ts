import { expect, it } from 'vitest';
import { ChatModel } from '../../../../server/src/chat/chat-model.js';
import { CHATML } from '../../../support/models/chat-templates.js';
import { FACTS } from '../scripted-engine.js';
import { renderHere } from './render-here.js';
import { ToyVocabulary } from './toy-vocabulary.js';

const OPTIONS = { think: true, tools: [] };

class CountingVocabulary extends ToyVocabulary {
  longest = 0;
  mostAtOnce = 0;
  #running = 0;

  override async tokenize(text: string, options: { readonly parseSpecial: boolean }): Promise<readonly number[]> {
    this.longest = Math.max(this.longest, text.length);
    this.#running += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.#running);
    try {
      return await super.tokenize(text, options);
    } finally {
      this.#running -= 1;
    }
  }
}

async function open(): Promise<{ model: ChatModel; vocabulary: CountingVocabulary }> {
  const vocabulary = new CountingVocabulary(['<|im_start|>', '<|im_end|>']);
  return {
    model: await ChatModel.open(FACTS, { source: CHATML, render: renderHere }, 1024, null, vocabulary),
    vocabulary,
  };
}

it('refuses a question that is too long for any vocabulary without tokenizing it', async () => {
  const { model, vocabulary } = await open();
  expect(await model.request([{ role: 'user', text: 'x'.repeat(10_000_000) }], OPTIONS)).toBeNull();
  expect(vocabulary.longest).toBeLessThan(1000);
});

it('drops an older turn that is too long without tokenizing it', async () => {
  const { model, vocabulary } = await open();
  const request = await model.request(
    [
      { role: 'user', text: 'x'.repeat(10_000_000) },
      { role: 'assistant', text: 'Long.' },
      { role: 'user', text: 'And now?' },
    ],
    OPTIONS,
  );
  expect(request).toMatchObject({ droppedTurns: 1 });
  expect(request?.prompt.parts).toContain('user\nAnd now?');
  expect(vocabulary.longest).toBeLessThan(1000);
});

it('asks for some messages at a time: a window that has the model disconnects one that asks too much', async () => {
  const { model, vocabulary } = await open();
  const messages = Array.from({ length: 301 }, (_, index) => ({
    role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
    text: `message ${index}`,
  }));
  expect(await model.request(messages, OPTIONS)).not.toBeNull();
  expect(vocabulary.mostAtOnce).toBe(16);
});
