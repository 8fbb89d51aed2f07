import { expect, it } from 'vitest';
import { describeChat, describeModel, statusFacts } from '../../../../extension/src/status/status-facts.js';
import type { ChatEngineStatus, EngineState } from '../../../../server/protocol/index.js';
import { STARTER_MODEL, servingStatus } from './status-fixture.js';

const READY = servingStatus({ kind: 'ready' });
const chatModel = (state: EngineState): ChatEngineStatus => ({ state, path: '/models/talker.gguf', model: null });

it('lists the model, then the last suggestion', () => {
  expect(statusFacts(READY)).toEqual([
    { label: 'Model', value: 'Inkling Starter 55M' },
    { label: 'Size', value: '55M parameters, Q4_K_M' },
    { label: 'Last suggestion', value: '42 ms, 12 tokens' },
    { label: 'Prompt', value: '120 of 300 tokens reused' },
    { label: 'Drafts', value: '3 of 4 accepted' },
  ]);
});

it.each([
  ['a short one', 49, 49, null],
  ['a long one', 60, 60, '600 tokens/s'],
  ['one of which an earlier one said a part', 60, 40, null],
  ['one that the request gave, and nothing was computed', 60, 0, null],
  ['one that a stop text cut', 40, 60, '600 tokens/s'],
  ['one of a server that says only how long it is', 60, null, '600 tokens/s'],
])(
  'says the speed of a suggestion for which enough was computed: %s',
  (_name, generatedTokens, decodedTokens, value) => {
    const completion = READY.lastCompletion;
    if (completion === null) throw new Error('the fixture has a completion');
    const lastCompletion = { ...completion, generatedTokens, decodedTokens, decodeMs: 100 };
    const facts = statusFacts({ ...READY, lastCompletion });
    expect(facts.find(({ label }) => label === 'Speed')?.value ?? null).toBe(value);
  },
);

it('knows where the model runs, and which model chats', () => {
  const remote = { host: 'gpu-box:8080', kind: 'ollama' } as const;
  const labels = statusFacts({ ...READY, remote, chat: chatModel({ kind: 'ready' }) });
  expect(labels).toContainEqual({ label: 'Runs on', value: 'gpu-box:8080 (Ollama)' });
  expect(labels).toContainEqual({ label: 'Chat model', value: 'talker.gguf' });
});

it.each([
  ['llama-server', 'llama-server'],
  ['vllm', 'vLLM'],
  ['openai', 'OpenAI-compatible'],
  ['ollama', 'Ollama'],
] as const)('names a server of the kind %s', (kind, name) => {
  expect(describeModel({ model: null, remote: { host: 'box', kind } })).toBe(`box (${name})`);
});

it.each([
  [1.5e9, 'Q8_0', '1.5B parameters, Q8_0'],
  [1.5e9, null, '1.5B parameters'],
  [null, 'Q8_0', 'Q8_0'],
  [null, null, null],
])('says of the size what is known: %j and %j', (parameterCount, quantization, size) => {
  const facts = statusFacts({ ...READY, model: { ...STARTER_MODEL, parameterCount, quantization } });
  expect(facts.find(({ label }) => label === 'Size')?.value ?? null).toBe(size);
});

it('says why drafts stopped, and counts one token in words', () => {
  const completion = READY.lastCompletion;
  if (completion === null) throw new Error('the fixture has a completion');
  const lastCompletion = { ...completion, generatedTokens: 1, draftFailure: 'no memory' };
  const facts = statusFacts({ ...READY, lastCompletion });
  expect(facts).toContainEqual({ label: 'Drafting stopped', value: 'no memory' });
  expect(facts).toContainEqual({ label: 'Last suggestion', value: '42 ms, one token' });
});

it.each<[string, Partial<typeof READY>, string | null]>([
  ['no model', { model: null }, null],
  ['the starter model', {}, 'Inkling Starter 55M cannot chat'],
  ['a model that chats', { model: { ...STARTER_MODEL, name: 'Coder', chat: true } }, 'Coder'],
  [
    'an unloaded one',
    { chat: chatModel({ kind: 'unloaded', reason: 'idle' }) },
    'talker.gguf, loads when you ask a question',
  ],
  ['one that failed', { chat: chatModel({ kind: 'error', error: { code: 'loadFailed', message: 'No.' } }) }, 'No.'],
])('says which model chats, with %s', (_name, change, expected) => {
  expect(describeChat({ ...READY, ...change })).toBe(expected);
});
