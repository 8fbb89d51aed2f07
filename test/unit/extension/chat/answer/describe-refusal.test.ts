import { describe, expect, it } from 'vitest';
import { describeRefusal, obstacleTo } from '../../../../../extension/src/chat/answer/describe-refusal.js';
import type { ChatCapabilities, ChatRefusalReason } from '../../../../../server/protocol/index.js';

const cannot = (reason: ChatRefusalReason) => ({ refusal: { reason, message: 'No.' }, instead: null });

describe.each<[ChatRefusalReason, boolean, readonly string[]]>([
  ['off', true, ['inkling.internal.turnOn']],
  ['noTemplate', true, ['inkling.pickModel']],
  ['templateUnusable', true, ['inkling.pickModel']],
  ['notReady', false, []],
  ['engineFailed', false, []],
  ['questionTooLong', false, []],
  ['badConversation', false, []],
])('a refusal since %s', (reason, prevents, commands) => {
  it(prevents ? 'prevents every question' : 'may be another at the question', () => {
    const capabilities: ChatCapabilities = { kind: 'cannotChat', ...cannot(reason) };
    expect(obstacleTo(capabilities)).toEqual(prevents ? capabilities : null);
  });

  it('is told with what would help', () => {
    const { text, actions } = describeRefusal(cannot(reason), null);
    expect([text, actions.map(({ command }) => command)]).toEqual(['No.', commands]);
  });
});

it('a model that can chat prevents no question', () => {
  expect(
    obstacleTo({
      ...{ kind: 'canChat', modelName: 'Chatty', architecture: null, contextLength: 2, promptBudget: 1 },
      ...{ thinking: 'none', tools: false },
    }),
  ).toBeNull();
});
