import { describe, expect, it } from 'vitest';
import { type ChatEvent, emptyChat, reduceChat } from '../../../../extension/src/chat/conversation.js';
import { panel, sizeView, turnView } from '../../../../extension/src/chat/panel-state.js';
import { crashedStatus, NOT_STARTED_STATUS, STARTING_STATUS } from '../../../../extension/src/session-status.js';
import type { ChatCapabilities, InklingStatus } from '../../../../server/protocol/index.js';
import { STARTER_MODEL, servingStatus } from '../status-fixture.js';

const READY = servingStatus({ kind: 'ready' });
const CAN: ChatCapabilities = {
  kind: 'canChat',
  modelName: 'Chatty',
  architecture: 'qwen35',
  contextLength: 8192,
  promptBudget: 6144,
  thinking: 'optional',
  tools: false,
};
const CANNOT: ChatCapabilities = {
  kind: 'cannotChat',
  refusal: {
    reason: 'noTemplate',
    message: 'Inkling Seed 55M completes code and cannot chat: it has no chat template.',
  },
};

const show = (status: InklingStatus, capabilities?: ChatCapabilities) =>
  panel(status, capabilities, emptyChat('c'), false);

describe('panel', () => {
  it('says that the starter model cannot chat and offers to choose another', () => {
    const { state, action } = show(READY, CANNOT);
    expect(state.notice).toEqual({
      text: expect.stringContaining('cannot chat'),
      isError: false,
      actionLabel: 'Choose a model',
    });
    expect(state.canAsk).toBe(false);
    expect(action?.command).toBe('inkling.pickModel');
  });

  it('lets one ask a model that can chat, also while suggestions are made', () => {
    for (const status of [READY, servingStatus({ kind: 'working' })]) {
      const { state, action } = show(status, CAN);
      expect(state).toMatchObject({ notice: null, canAsk: true, thinking: 'optional', modelName: STARTER_MODEL.name });
      expect(action).toBeNull();
    }
  });

  it('waits for what the model can', () => {
    expect(show(READY).state).toMatchObject({ canAsk: false, notice: { isError: false, actionLabel: null } });
  });

  it.each([
    ['starting', STARTING_STATUS, 'Loading the model, 0%', null],
    ['paused', NOT_STARTED_STATUS, 'Inkling is paused.', 'Resume'],
    ['paused with a model', servingStatus({ kind: 'paused' }), 'Inkling is paused.', 'Resume'],
    ['crashed', crashedStatus(5), expect.stringContaining('5 times'), 'Restart'],
  ])('while %s shows the state and at most one action', (_name, status, text, actionLabel) => {
    const isError = status.state.kind === 'error';
    expect(show(status, CAN).state).toMatchObject({ canAsk: false, notice: { text, actionLabel, isError } });
  });

  it('shows the turns of the current conversation, and what became of the answers', () => {
    const events: ChatEvent[] = [
      { kind: 'asked', turnId: 't', question: { text: 'Why?', command: 'explain', attachments: [] } },
      {
        kind: 'ended',
        turnId: 't',
        answer: { state: 'cutOff', text: 'Be', thinking: 'hm', error: null, droppedTurns: 2 },
      },
    ];
    const chat = events.reduce(reduceChat, emptyChat('c'));
    const { state } = panel(READY, CAN, chat, false);
    expect(state.conversations).toEqual([{ id: 'c', title: '/explain Why?' }]);
    expect(state.turns).toEqual([
      expect.objectContaining({ question: '/explain Why?', answer: 'Be', thinking: 'hm', state: 'cutOff' }),
    ]);
    expect(state.turns[0]?.remark).toBe(
      'Cut off: there was no room for more. The 2 oldest questions did not fit any more and were not read.',
    );
  });

  it('says that one question was left out, in the singular', () => {
    const answer = { state: 'complete', text: '', thinking: '', error: null, droppedTurns: 1 } as const;
    const turn = { id: 't', question: { text: '', command: null, attachments: [] }, answer };
    expect(turnView(turn).remark).toBe('The oldest question did not fit any more and was not read.');
  });
});

it('the size is shown with what is left out, and with why it is too much', () => {
  expect(sizeView(undefined)).toBeNull();
  expect(sizeView({ promptTokens: 50, promptBudget: 100, droppedTurns: 0 })).toEqual({
    text: '50 of 100 tokens',
    share: 0.5,
  });
  expect(sizeView({ promptTokens: 90, promptBudget: 100, droppedTurns: 3 })?.text).toBe(
    '90 of 100 tokens, without the oldest 3 turns',
  );
  expect(sizeView({ tooLong: 'Too long.' })).toEqual({ text: 'Too long.', share: 2 });
});
