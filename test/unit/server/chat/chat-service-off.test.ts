import { expect, it } from 'vitest';
import type { ChatEngines } from '../../../../server/src/chat/chat-engines.js';
import { ChatService, type ModelFiles } from '../../../../server/src/chat/chat-service.js';
import { SILENT } from '../scripted-engine.js';
import { renderHere } from './render-here.js';

const QUESTION = { messages: [{ role: 'user', text: 'How?' }] } as const;
const FILES: ModelFiles = {
  eosToken: async () => null,
  describe: async () => null,
  chatModelInstead: () => {
    throw new Error('A model was looked for.');
  },
};

function openService(enabled: boolean, engines: object) {
  return new ChatService(engines as ChatEngines, FILES, () => ({ enabled, speculation: 'off' }), SILENT, renderHere);
}

it('refuses everything while Inkling is off, and touches no engine', async () => {
  const untouchable = new Proxy(
    {},
    {
      get: () => {
        throw new Error('An engine was touched.');
      },
    },
  );
  const service = openService(false, untouchable);
  const refusal = { reason: 'off', message: 'Inkling is off.' };
  const never = new AbortController().signal;
  expect(await service.ask(QUESTION, () => undefined, never)).toEqual({ kind: 'refused', refusal });
  expect(await service.size(QUESTION)).toEqual({ kind: 'refused', refusal });
  expect(await service.capabilities(null)).toEqual({ kind: 'cannotChat', refusal, instead: null });
  expect(await service.count('one')).toBeNull();
});

it('ends a question that waits for a model when Inkling is turned off', async () => {
  let waiting: AbortSignal | null = null;
  const ready = (signal: AbortSignal) => {
    waiting = signal;
    return new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  };
  const service = openService(true, { ready });
  const asked = service.ask(QUESTION, () => undefined, new AbortController().signal);
  await expect.poll(() => waiting).not.toBeNull();
  service.stop();
  expect(await asked).toMatchObject({ kind: 'answered', answer: { text: '', ending: 'stopped' } });
});
