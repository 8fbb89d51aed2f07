import { expect, it } from 'vitest';
import type { ChatEngine, ChatEngines } from '../../../../server/src/chat/chat-engines.js';
import { ChatService } from '../../../../server/src/chat/chat-service.js';
import type { GenerateRequest } from '../../../../server/src/engine/port/generation.js';
import { CHATML } from '../../../support/models/chat-templates.js';
import { FACTS, METRICS, SILENT } from '../scripted-engine.js';
import { NO_FILES } from './no-files.js';
import { renderHere } from './render-here.js';
import { ToyVocabulary } from './toy-vocabulary.js';

const never = new AbortController().signal;

/** A service whose model answers at once, and reads ahead until that is stopped. */
function openService() {
  const vocabulary = new ToyVocabulary(['<|im_start|>', '<|im_end|>']);
  const facts = { ...FACTS, chatTemplate: CHATML };
  const preparations: AbortSignal[] = [];
  const client = {
    facts,
    tokenize: (text: string, options = { parseSpecial: false }) => vocabulary.tokenize(text, options),
    detokenize: (tokens: readonly number[], options: { readonly special: boolean }) =>
      vocabulary.detokenize(tokens, options),
    generate: async ({ priority }: GenerateRequest, onText: (text: string) => void, signal: AbortSignal) => {
      if (priority === 'background') {
        preparations.push(signal);
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      } else onText('Yes.');
      return { stopReason: 'endOfText', metrics: METRICS };
    },
  };
  const host = { client, lifecycle: { state: { kind: 'ready' }, knownFacts: facts } };
  const current = { host, slot: 'chat' } as unknown as ChatEngine;
  const engines = { current, moreUrgent: null, ready: async () => undefined } as unknown as ChatEngines;
  const service = new ChatService(engines, NO_FILES, () => ({ enabled: true, speculation: 'off' }), SILENT, renderHere);
  const ask = (text: string) => service.ask({ messages: [{ role: 'user', text }] }, () => undefined, never);
  return { service, ask, preparations };
}

it('reads ahead for the last answer alone, and for none once Inkling is turned off', async () => {
  const { service, ask, preparations } = openService();
  // The panel and VS Code's own chat may ask at the same time.
  const answers = await Promise.all([ask('One?'), ask('Two?')]);
  expect(answers).toMatchObject([{ kind: 'answered' }, { kind: 'answered' }]);
  await expect.poll(() => preparations.filter(({ aborted }) => !aborted).length).toBe(1);
  service.stop();
  expect(preparations.every(({ aborted }) => aborted)).toBe(true);
});
