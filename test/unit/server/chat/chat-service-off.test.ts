import { expect, it } from 'vitest';
import type { ChatEngines } from '../../../../server/src/chat/chat-engines.js';
import { ChatService, type ModelFiles } from '../../../../server/src/chat/chat-service.js';
import { SILENT } from '../scripted-engine.js';
import { NO_FILES } from './no-files.js';
import { renderHere } from './render-here.js';

const QUESTION = { messages: [{ role: 'user', text: 'How?' }] } as const;
const FILES: ModelFiles = {
  ...NO_FILES,
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

it.each(['the user', 'turning Inkling off'] as const)(
  'ends a question at once that %s stops while its tokens are counted',
  async (who) => {
    let counting = 0;
    let generated = 0;
    let counted: (tokens: readonly number[]) => void = () => undefined;
    const facts = { kind: 'remote', chat: true, chatContextLength: 8192, capabilities: { tokenizes: true } };
    const client = {
      facts,
      tokenize: () => {
        counting += 1;
        return new Promise<readonly number[]>((resolve) => {
          counted = resolve;
        });
      },
      converse: async (_request: unknown, _onPiece: unknown, signal: AbortSignal) => {
        generated += signal.aborted ? 0 : 1;
        return {
          stopReason: 'aborted',
          metrics: { promptTokens: 1, reusedTokens: 0, generatedTokens: 0, local: null },
        };
      },
    };
    const host = { client, lifecycle: {} };
    const service = openService(true, { ready: async () => undefined, current: { host, slot: 'chat' } });
    const user = new AbortController();
    const asked = service.ask(QUESTION, () => undefined, user.signal);
    await expect.poll(() => counting).toBe(1);
    if (who === 'the user') user.abort();
    else service.stop();
    expect(await asked).toMatchObject({ kind: 'answered', answer: { text: '', ending: 'stopped' } });
    counted([1]);
    await new Promise(setImmediate);
    expect(generated).toBe(0);
  },
);

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
