import { beforeEach, expect, it } from 'vitest';
import type { ChatEngines } from '../../../../server/src/chat/chat-engines.js';
import { ChatService } from '../../../../server/src/chat/chat-service.js';
import { SILENT } from '../scripted-engine.js';
import { NO_FILES } from './no-files.js';
import { renderHere } from './render-here.js';

const FACTS = { kind: 'remote', chat: true, chatContextLength: 8192, capabilities: { tokenizes: true } };
const SYSTEM = { role: 'system', text: 'Be short.' } as const;
const FIRST = { role: 'user', text: 'How?' } as const;
const ANSWER = { role: 'assistant', text: 'So.' } as const;
const conversation = (draft: string) => ({ messages: [SYSTEM, FIRST, ANSWER, { role: 'user', text: draft } as const] });

let facts: object;
/** The texts that the remote server was asked to tokenize. */
let asked: string[];
let fails: boolean;
let service: ChatService;

beforeEach(() => {
  [facts, asked, fails] = [FACTS, [], false];
  const client = {
    get facts() {
      return facts;
    },
    tokenize: async (text: string) => {
      asked.push(text);
      if (fails) throw new Error('no answer');
      return [...text];
    },
  };
  const engines = { current: { host: { client, lifecycle: {} }, slot: 'chat' } } as unknown as ChatEngines;
  service = new ChatService(engines, NO_FILES, () => ({ enabled: true, speculation: 'off' }), SILENT, renderHere);
});

it('asks only for the tokens of the message that has changed since the last time', async () => {
  const size = async (draft: string) => {
    const outcome = await service.size(conversation(draft));
    return outcome.kind === 'size' ? outcome.size.promptTokens : outcome;
  };
  const before = await size('And');
  expect([...asked].sort()).toEqual([SYSTEM, FIRST, ANSWER, { text: 'And' }].map(({ text }) => text).sort());
  asked = [];
  expect([await size('And then?'), asked]).toEqual([Number(before) + ' then?'.length, ['And then?']]);
});

it('asks once for a text that is counted twice at the same time', async () => {
  await Promise.all([service.size(conversation('And')), service.size(conversation('And'))]);
  expect(asked).toHaveLength(4);
});

it('asks again for all of them where another model answers', async () => {
  await service.size(conversation('And'));
  facts = { ...FACTS };
  asked = [];
  await service.size(conversation('And'));
  expect(asked).toHaveLength(4);
});

it('asks again for what the server has not answered', async () => {
  fails = true;
  expect(await service.size(conversation('And'))).toMatchObject({ kind: 'refused' });
  fails = false;
  asked = [];
  expect(await service.size(conversation('And'))).toMatchObject({ kind: 'size', size: { isEstimate: true } });
  expect(asked).toHaveLength(4);
});

it('forgets the texts that were counted longest ago', async () => {
  for (let number = 0; number < 2_000; number++) await service.count(`text ${number}`);
  asked = [];
  await service.count('text 1999');
  expect(asked).toEqual([]);
  await service.count('text 0');
  expect(asked).toEqual(['text 0']);
});
