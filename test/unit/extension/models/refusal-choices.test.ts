import { expect, it } from 'vitest';
import { type RefusedModel, refusalText } from '../../../../extension/src/models/refusal-choices.js';
import type { ModelOffer } from '../../../../server/protocol/index.js';

const ALTERNATIVE = { name: 'Starter', refusal: null } as ModelOffer;
const LOST = { ...ALTERNATIVE, refusal: { code: 'fileNotFound', message: 'Its file is missing' } } as ModelOffer;
const NO_TOKENS: RefusedModel = {
  kind: 'refused',
  error: { code: 'noFimTokens', message: 'chat.gguf cannot complete code: it has no fill-in-the-middle tokens' },
  contextLength: null,
  canChat: false,
  alternative: ALTERNATIVE,
};
const TOO_LARGE: RefusedModel = { ...NO_TOKENS, error: { code: 'outOfMemory', message: 'It needs 40 GB' } };

it.each<[string, RefusedModel, boolean, string, string[]]>([
  ['lacks tokens', NO_TOKENS, false, `${NO_TOKENS.error.message}.`, ['Use Starter']],
  ['lacks tokens beside the model in use', NO_TOKENS, true, `${NO_TOKENS.error.message}.`, []],
  [
    'can chat',
    { ...NO_TOKENS, canChat: true },
    false,
    `${NO_TOKENS.error.message}.`,
    ['Use It for Chat Only', 'Use Starter'],
  ],
  ['is too large', TOO_LARGE, false, 'It needs 40 GB. Starter would fit.', ['Use Starter']],
  ['is too large where nothing else can be used', { ...TOO_LARGE, alternative: LOST }, false, 'It needs 40 GB.', []],
  ['is too large beside the model in use', TOO_LARGE, true, 'It needs 40 GB.', []],
  [
    'is too large with this context',
    { ...TOO_LARGE, contextLength: 2048 },
    true,
    'It needs 40 GB. A context of 2048 tokens would fit.',
    ['Use a Context of 2048 Tokens'],
  ],
])('a model that %s', (_name, refused, alternativeInUse, message, labels) => {
  const text = refusalText(refused, alternativeInUse);
  expect(text.message).toBe(message);
  expect(text.choices.map(({ label }) => label)).toEqual(labels);
});
