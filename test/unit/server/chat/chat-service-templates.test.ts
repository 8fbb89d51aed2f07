import { expect, it } from 'vitest';
import type { ChatEngine, ChatEngines } from '../../../../server/src/chat/chat-engines.js';
import { ChatService } from '../../../../server/src/chat/chat-service.js';
import type { RenderTemplate } from '../../../../server/src/chat/rendering/template-renderer.js';
import { CHATML } from '../../../support/models/chat-templates.js';
import { FACTS, SILENT } from '../scripted-engine.js';
import { NO_FILES } from './no-files.js';
import { renderHere } from './render-here.js';
import { ToyVocabulary } from './toy-vocabulary.js';

const QUESTION = { messages: [{ role: 'user', text: 'How?' }] } as const;

/** A service with a loaded model, whose templates are rendered as the test says, or not. */
function openService(render: RenderTemplate, template = CHATML) {
  const vocabulary = new ToyVocabulary(['<|im_start|>', '<|im_end|>']);
  const facts = { ...FACTS, chatTemplate: template };
  const client = {
    facts,
    tokenize: (text: string, options: { readonly parseSpecial: boolean }) => vocabulary.tokenize(text, options),
    detokenize: (tokens: readonly number[], options: { readonly special: boolean }) =>
      vocabulary.detokenize(tokens, options),
  };
  const host = { client, lifecycle: { state: { kind: 'ready' }, knownFacts: facts } };
  const engines = { current: { host, slot: 'chat' } as unknown as ChatEngine } as ChatEngines;
  return new ChatService(engines, NO_FILES, () => ({ enabled: true, speculation: 'off' }), SILENT, render);
}

it('a model chats again after a moment in which no template could be rendered', async () => {
  let isBroken = true;
  const service = openService(async (job) =>
    isBroken ? { kind: 'machine', message: 'no process can be started' } : renderHere(job),
  );
  const refusal = {
    reason: 'engineFailed',
    message: 'The chat template was not rendered: no process can be started. Try again.',
  };
  expect(await service.size(QUESTION)).toEqual({ kind: 'refused', refusal });
  isBroken = false;
  expect(await service.size(QUESTION)).toMatchObject({ kind: 'size', size: { isEstimate: false } });
  isBroken = true;
  expect(await service.size(QUESTION)).toEqual({ kind: 'refused', refusal });
});

it('a moment without a process takes no tools from a model', async () => {
  let isBroken = true;
  const tools = `${CHATML}{% if tools %}<tool_call>{{ tools | tojson }}{{ messages | tojson }}{% endif %}`;
  // The last of the attempts before a model is opened, which asks whether its template shows tools.
  const service = openService(async (job) => {
    if (!isBroken || !('tools' in job.variables)) return renderHere(job);
    isBroken = false;
    return { kind: 'machine', message: 'spawn EAGAIN' };
  }, tools);
  expect(await service.size(QUESTION)).toMatchObject({ kind: 'refused', refusal: { reason: 'engineFailed' } });
  expect(await service.size(QUESTION)).toMatchObject({ kind: 'size' });
});

it('a template that is at fault is not tried again', async () => {
  let count = 0;
  const service = openService(async () => {
    count += 1;
    return { kind: 'limit' };
  });
  for (let time = 0; time < 2; time += 1)
    expect(await service.size(QUESTION)).toMatchObject({ kind: 'refused', refusal: { reason: 'templateUnusable' } });
  expect(count).toBe(1);
});

it('says why nothing is known of a model for chat alone, which is not loaded before the first question', async () => {
  const host = { lifecycle: { state: { kind: 'unloaded', reason: 'idle' }, knownFacts: null } };
  const engines = { current: { host, slot: 'completion' }, unseenPath: '/gone.gguf' } as unknown as ChatEngines;
  const service = new ChatService(engines, NO_FILES, () => ({ enabled: true, speculation: 'off' }), SILENT, renderHere);
  expect(await service.capabilities(null)).toMatchObject({
    kind: 'cannotChat',
    refusal: { reason: 'notReady', message: 'There is no model file at /gone.gguf.' },
  });
});

it.each(['No server is listening', 'That window has ended. Try again.'])(
  'ends a reason with one full stop: %s',
  async (message) => {
    const state = { kind: 'error', error: { code: 'ownerLost', message } };
    const host = { client: { facts: null }, lifecycle: { state, knownFacts: null } };
    const engines = { current: { host, slot: 'chat' } } as unknown as ChatEngines;
    const service = new ChatService(
      engines,
      NO_FILES,
      () => ({ enabled: true, speculation: 'off' }),
      SILENT,
      renderHere,
    );
    const { refusal } = (await service.size(QUESTION)) as { refusal: { message: string } };
    expect(refusal.message).toBe(`${message.replace(/\.$/, '')}.`);
  },
);

it('ends the reason of a model that fails while it is asked with a full stop', async () => {
  const facts = { ...FACTS, kind: 'remote', chat: true };
  const request = async () => {
    throw new Error('box:80 refused the connection');
  };
  const client = { facts, tokenize: request, countTokens: request };
  const host = { client, lifecycle: { state: { kind: 'ready' }, knownFacts: facts } };
  const engines = { current: { host, slot: 'chat' } } as unknown as ChatEngines;
  const service = new ChatService(engines, NO_FILES, () => ({ enabled: true, speculation: 'off' }), SILENT, renderHere);
  const { refusal } = (await service.size(QUESTION)) as { refusal: { message: string } };
  expect(refusal.message).toMatch(/refused the connection\.$/);
});
