import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { emptyChat, reduceChat } from '../../../../../extension/src/chat/conversation/conversation.js';
import { readPageMessage } from '../../../../../extension/src/chat/panel/page-message.js';
import type { MessageFromWebview } from '../../../../../extension/src/chat/webview/messages.js';
import { damaged, hostileJson } from '../../../../support/faults/hostile-json.js';
import { property } from '../../../../support/faults/property.js';

/** One of each kind, as the page posts it. */
const POSTED: readonly MessageFromWebview[] = [
  { kind: 'ready', draft: 'Wh' },
  { kind: 'action' },
  { kind: 'chooseModel' },
  { kind: 'otherAction' },
  { kind: 'ask', text: 'What is this?' },
  { kind: 'stop' },
  { kind: 'retry', turnId: 't1' },
  { kind: 'edit', turnId: 't1' },
  { kind: 'cancelEdit' },
  { kind: 'select', id: 'c1' },
  { kind: 'delete' },
  { kind: 'think', think: false },
  { kind: 'draft', text: 'Wh' },
  { kind: 'find', query: 'ind' },
  { kind: 'find', query: null },
  { kind: 'attach', what: { kind: 'selection' } },
  { kind: 'attach', what: { kind: 'file', uri: 'file:///work/index.ts' } },
  { kind: 'drop', uris: ['file:///work/index.ts', 'file:///work/main.ts'] },
  { kind: 'detach', id: 'a1' },
  { kind: 'code', action: 'apply', turnId: 't1', code: 'let a;', language: 'ts' },
];

it.each(POSTED)('reads $kind as it was posted', (message) => {
  expect(readPageMessage(structuredClone(message))).toEqual(message);
});

it('reads nothing of a text that nobody writes', () => {
  expect(readPageMessage({ kind: 'ask', text: 'x'.repeat(2 ** 23) })).toBeNull();
  expect(readPageMessage({ kind: 'find', query: 'x'.repeat(10_000) })).toBeNull();
  expect(readPageMessage({ kind: 'drop', uris: new Array(100_000).fill('file:///a.ts') })).toBeNull();
});

/** The values of a message without its kind: names, texts and switches, or the place to attach. */
function partsOf(message: object): readonly unknown[] {
  return Object.values(message).flatMap((part: unknown) =>
    typeof part === 'object' && part !== null ? partsOf(part) : [part],
  );
}

describe('whatever the page posts', () => {
  const posted = fc.oneof(
    fc.constantFrom(...POSTED).chain((message) => damaged(message as unknown as Parameters<typeof damaged>[0])),
    hostileJson,
  );

  property(
    'it is nothing, or a message of a known kind with texts of bounded length',
    posted,
    (value) => {
      const message = readPageMessage(value);
      if (message === null) return;
      expect(POSTED.map(({ kind }) => kind)).toContain(message.kind);
      const parts = partsOf(message);
      expect(parts.every((part) => part === null || ['boolean', 'string'].includes(typeof part))).toBe(true);
      expect(parts.every((part) => String(part).length <= 2 ** 22)).toBe(true);
      expect(readPageMessage(message)).toEqual(message);
    },
    { runs: 120 },
  );

  property(
    'the conversations keep one that is current',
    fc.array(posted, { maxLength: 20 }),
    (values) => {
      let chat = emptyChat('c0');
      let ids = 0;
      for (const message of values.map(readPageMessage)) {
        ids += 1;
        if (message?.kind === 'select') chat = reduceChat(chat, { kind: 'selected', id: message.id });
        if (message?.kind === 'detach') chat = reduceChat(chat, { kind: 'detached', id: message.id });
        if (message?.kind === 'edit') chat = reduceChat(chat, { kind: 'editing', turnId: message.turnId, text: '' });
        if (message?.kind === 'think') chat = reduceChat(chat, { kind: 'thinkChanged', think: message.think });
        if (message?.kind === 'delete')
          chat = reduceChat(chat, { kind: 'deleted', id: chat.currentId, nextId: `c${ids}` });
        if (message?.kind === 'retry') {
          chat = reduceChat(chat, { kind: 'retried', turnId: message.turnId, newTurnId: `t${ids}` });
        }
        if (message?.kind === 'ask') {
          const question = { text: message.text, attachments: [], command: null };
          chat = reduceChat(chat, { kind: 'asked', turnId: `t${ids}`, question, isDraft: true });
        }
        expect(chat.conversations.map(({ id }) => id)).toContain(chat.currentId);
      }
    },
    { runs: 40 },
  );
});
