import { describe, expect, it } from 'vitest';
import { type ChatEvent, emptyChat, reduceChat } from '../../../../../extension/src/chat/conversation/conversation.js';
import { NO_PROJECT_TEXTS } from '../../../../../extension/src/chat/conversation/project-texts.js';
import {
  chatModelKey,
  measuredParts,
  panel,
  sizeView,
  turnView,
} from '../../../../../extension/src/chat/panel/panel-state.js';
import { isEqual } from '../../../../../extension/src/chat/webview/equal.js';
import {
  crashedStatus,
  NOT_STARTED_STATUS,
  STARTING_STATUS,
} from '../../../../../extension/src/client/session-status.js';
import type { ChatCapabilities, EngineState, InklingStatus, ModelOffer } from '../../../../../server/protocol/index.js';
import { STARTER_MODEL, servingStatus } from '../../status/status-fixture.js';

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
const CANNOT: Extract<ChatCapabilities, { readonly kind: 'cannotChat' }> = {
  kind: 'cannotChat',
  refusal: {
    reason: 'noTemplate',
    message: 'Inkling Starter 55M cannot chat: it has no chat template.',
  },
  instead: null,
};
const WITHOUT_ENGINE: InklingStatus = {
  ...NOT_STARTED_STATUS,
  state: { kind: 'error', error: { code: 'addonUnavailable', message: 'The native engine is not available' } },
};
const NOT_CONNECTED: InklingStatus = {
  ...NOT_STARTED_STATUS,
  remote: { host: 'gpu-box:8080', kind: null },
  state: { kind: 'error', error: { code: 'remoteUnreachable', message: 'gpu-box:8080 refused the connection' } },
};
const OFFERED: ModelOffer = {
  id: 'catalogue:talker',
  source: 'catalogue',
  name: 'Talker 1.5B',
  path: null,
  paths: [],
  download: { repository: 'owner/talker', file: 'Q4_K_M' },
  fileBytes: 986e6,
  memoryBytes: 1.3e9,
  fit: 'comfortable',
  capabilities: { fim: false, mtp: false, chat: true },
  architecture: 'qwen2',
  quantization: 'Q4_K_M',
  parameterCount: 1.5e9,
  activeParameterCount: 1.5e9,
  fimTrained: false,
  nextEdits: false,
  speed: { tokensPerSecond: 20, promptSeconds: 1, basis: 'assumed', atLeast: null },
  refusal: null,
};

const show = (status: InklingStatus, capabilities: ChatCapabilities | null = null) =>
  panel(status, capabilities, emptyChat('c'), false);

const PREPARING = 'Preparing the model. A GPU takes up to a minute the first time';

describe('panel', () => {
  it('says that the starter model cannot chat and offers to choose another', () => {
    const { state, action } = show(READY, CANNOT);
    expect(state.notice).toEqual({
      text: expect.stringContaining('cannot chat'),
      isError: false,
      actionLabel: 'Choose a model',
      otherActionLabel: null,
    });
    expect(state.canAsk).toBe(false);
    expect(action?.command).toBe('inkling.pickModel');
  });

  it("names the project's rules, and lists its prompts behind Inkling's commands", () => {
    const prompts = [{ name: 'review', summary: 'Look', text: 'Look at this.' }];
    const { state } = panel(READY, CAN, emptyChat('c'), false, {
      project: { rules: 'Use tabs.', prompts },
      bytesPerSecond: null,
    });
    expect(state.hint).toContain('AGENTS.md');
    expect(state.commands.at(-1)).toEqual({ name: 'review', summary: 'Look' });
    expect(show(READY, CAN).state.hint).not.toContain('AGENTS.md');
  });

  it.each<[string, number | null, string]>([
    ['the size, and the time on an ordinary line', null, ' It is a download of 986 MB, about 3 min at 50 Mbit/s.'],
    ['the time too, once a download was measured', 8e6, ' It is a download of 986 MB, about 3 min.'],
  ])('is one click away from a chat model, and says %s', (_name, rate, size) => {
    const cannot: ChatCapabilities = { ...CANNOT, instead: OFFERED };
    const { state, action, otherAction } = panel(READY, cannot, emptyChat('c'), false, {
      project: NO_PROJECT_TEXTS,
      bytesPerSecond: rate,
    });
    expect(state.notice).toEqual({
      text: `${CANNOT.refusal.message} Talker 1.5B can, and runs on this machine.${size}`,
      isError: false,
      actionLabel: 'Download Talker 1.5B',
      otherActionLabel: 'Choose a model',
    });
    expect(state.canAsk).toBe(false);
    expect(action).toMatchObject({ command: 'inkling.internal.useOfferedChatModel', argument: OFFERED.id });
    expect(otherAction?.command).toBe('inkling.pickModel');
  });

  it('is one click away from a chat model that is on this machine, without a download', () => {
    const local: ModelOffer = {
      ...OFFERED,
      source: 'ollama',
      path: '/blobs/talker',
      paths: ['/blobs/talker'],
      download: null,
    };
    const { state, action } = show(READY, { ...CANNOT, instead: local });
    expect(state.notice).toEqual({
      text: `${CANNOT.refusal.message} Talker 1.5B can, and is on this machine already.`,
      isError: false,
      actionLabel: 'Use Talker 1.5B',
      otherActionLabel: 'Choose a model',
    });
    expect(action).toMatchObject({ command: 'inkling.internal.useOfferedChatModel', argument: OFFERED.id });
  });

  it('says what chat can do once it can', () => {
    expect(show(READY, CAN).state.hint).toMatch(/explain, fix, test or document/);
  });

  it('says where questions go only once the server has said it', () => {
    const remote = { host: 'gpu-box:8080', kind: null };
    const connecting = servingStatus({ kind: 'loading', progress: 0 });
    expect(show({ ...connecting, model: null, remote }, CAN).state.hint).toContain('on gpu-box:8080');
    expect(show({ ...connecting, model: null }, CAN).state.hint).toContain('Nothing leaves it.');
    const { canAsk, hint } = show(STARTING_STATUS, CAN).state;
    expect(canAsk).toBe(true);
    expect(hint).toBe('Ask about your code, or type / to explain, fix, test or document it.');
  });

  it('allows questions to a model that can chat, also during suggestions', () => {
    for (const status of [READY, servingStatus({ kind: 'working' })]) {
      const { state, action } = show(status, CAN);
      expect(state).toMatchObject({ notice: null, canAsk: true, thinking: 'optional', modelName: 'Chatty' });
      expect(action).toBeNull();
    }
  });

  it("waits for the model's capabilities", () => {
    expect(show(READY).state).toMatchObject({ canAsk: false, notice: { isError: false, actionLabel: null } });
  });

  it.each([
    ['off', NOT_STARTED_STATUS, 'Inkling is off.', 'Turn on'],
    ['off with a model', servingStatus({ kind: 'off' }), 'Inkling is off.', 'Turn on'],
    ['crashed', crashedStatus(5, false), expect.stringContaining('5 times'), 'Restart'],
    ['without its engine', WITHOUT_ENGINE, 'The native engine is not available.', 'Show log'],
    ['not connected', NOT_CONNECTED, 'gpu-box:8080 refused the connection. Retrying automatically.', 'Try again'],
  ])('while %s shows the state and at most one action', (_name, status, text, actionLabel) => {
    const isError = status.state.kind === 'error';
    expect(show(status, CAN).state).toMatchObject({ canAsk: false, notice: { text, actionLabel, isError } });
  });

  it('turns on by a button that never turns off, and then asks again what the model can', () => {
    const off: ChatCapabilities = { ...CANNOT, refusal: { reason: 'off', message: 'Inkling is off.' } };
    expect(show(servingStatus({ kind: 'off' }), off).action?.command).toBe('inkling.internal.turnOn');
    expect(show(READY, off)).toMatchObject({ action: null, state: { canAsk: false, notice: { isError: false } } });
    expect(show(READY, off).state.notice?.text).toContain('Checking');
  });

  describe('while the model loads', () => {
    const remote = { host: 'gpu:8080', kind: null };
    const notReady: ChatCapabilities = {
      kind: 'cannotChat',
      refusal: { reason: 'notReady', message: 'No model is loaded yet.' },
      instead: null,
    };

    it.each<[string, InklingStatus, ChatCapabilities | null, boolean, string, string | null]>([
      ['of which nothing is known', STARTING_STATUS, null, false, 'Loading the model, 0%', null],
      ['of which nothing can be known', STARTING_STATUS, notReady, false, 'Loading the model, 0%', null],
      ['on a machine', { ...STARTING_STATUS, remote }, notReady, false, 'Connecting to gpu:8080', null],
      ['that chats', STARTING_STATUS, CAN, true, 'Loading the model, 0%', null],
      ['that cannot chat', STARTING_STATUS, CANNOT, false, expect.stringContaining('cannot chat'), 'Choose a model'],
    ])('%s, lets one ask only what will be answered', (_name, status, capabilities, canAsk, text, actionLabel) => {
      const notice = { text, isError: false, actionLabel };
      expect(show(status, capabilities).state).toMatchObject({ canAsk, notice });
    });

    it('shows that the question waits, until it is answered or stopped', () => {
      const question = { text: 'Why?', command: null, attachments: [] };
      const asked = reduceChat(emptyChat('c'), { kind: 'asked', turnId: 't', question, isDraft: true });
      const remarks = (status: InklingStatus, chat = asked) => panel(status, CAN, chat, true).state.turns[0]?.remark;
      expect(remarks(STARTING_STATUS)).toBe('Waiting for the model to load.');
      expect(remarks(READY)).toBeNull();
      const own = { path: '/talker.gguf', model: null };
      expect(remarks({ ...READY, chat: { ...own, state: { kind: 'loading', progress: 0 } } })).toContain('Waiting');
      expect(remarks({ ...STARTING_STATUS, chat: { ...own, state: { kind: 'working' } } })).toBeNull();
      const said = reduceChat(asked, { kind: 'said', turnId: 't', thinking: '', text: 'So' });
      expect(remarks(STARTING_STATUS, said)).toBeNull();
    });
  });

  describe('with a model for chat alone', () => {
    const own = (state: EngineState, status = READY): InklingStatus => ({
      ...status,
      chat: { state, path: '/talker.gguf', model: null },
    });
    const noGpu = { code: 'deviceUnknown', message: 'The processor is used.' } as const;
    const error = { code: 'outOfMemory', message: 'Talker needs 9.0 GB, more than there is' } as const;

    it.each<[string, EngineState, string | null, string | null, boolean]>([
      ['waits for its first question', { kind: 'unloaded', reason: 'idle' }, null, null, false],
      ['loads', { kind: 'loading', progress: 0.4 }, 'Loading the model, 40%', null, false],
      ['prepares', { kind: 'loading', progress: 1 }, PREPARING, null, false],
      ['is ready', { kind: 'ready' }, null, null, false],
      ['answers', { kind: 'working' }, null, null, false],
      ['does not fit', { kind: 'error', error }, `${error.message}.`, 'Use one model for both', true],
      ['has no GPU', { kind: 'error', error: noGpu }, noGpu.message, 'Change the setting', false],
    ])('allows questions while it %s', (_name, state, text, actionLabel, isError) => {
      const notice = text === null ? null : { text, actionLabel, isError };
      // In every state of the other model.
      for (const status of [READY, servingStatus({ kind: 'unloaded', reason: 'user' }), STARTING_STATUS]) {
        expect(show(own(state, status), CAN).state).toMatchObject({ canAsk: true, notice, modelName: 'Chatty' });
      }
    });

    it('that cannot chat offers another one', () => {
      const { action, state } = show(own({ kind: 'unloaded', reason: 'idle' }), CANNOT);
      expect([state.canAsk, action?.command]).toEqual([false, 'inkling.pickModel']);
    });

    it('that is not a model is named by its file, and not like the model of suggestions', () => {
      const refusal = { reason: 'notReady', message: 'There is no model file at /talker.gguf.' } as const;
      const { state } = show(own({ kind: 'unloaded', reason: 'idle' }), { ...CANNOT, refusal });
      expect(state.modelName).toBe('talker.gguf');
    });

    it('beside a remote server says what goes there, and what does not', () => {
      const remote = { host: 'gpu-box:8080', kind: null };
      const { hint } = show({ ...own({ kind: 'ready' }), remote }, CAN).state;
      expect(hint).toContain('your questions do not leave it. Suggestions come from gpu-box:8080.');
      expect(hint).not.toContain('Nothing leaves it');
    });

    it('that is not a model offers one model for both', () => {
      const refusal = { reason: 'notReady', message: 'No model is loaded yet.' } as const;
      const { action, state } = show(own({ kind: 'unloaded', reason: 'idle' }), {
        kind: 'cannotChat',
        refusal,
        instead: null,
      });
      expect([state.canAsk, action?.command]).toEqual([false, 'inkling.useOneModel']);
    });

    it('is asked for its capabilities again when it changes, and after its load', () => {
      const idle: EngineState = { kind: 'unloaded', reason: 'idle' };
      const loaded: InklingStatus = { ...READY, chat: { state: idle, path: '/talker.gguf', model: STARTER_MODEL } };
      const keys = [STARTING_STATUS, READY, own(idle), loaded].map(chatModelKey);
      expect(new Set(keys).size).toBe(4);
      expect(chatModelKey(NOT_STARTED_STATUS)).toBeNull();
      expect(chatModelKey(servingStatus({ kind: 'off' }))).toBeNull();
      expect(chatModelKey({ ...loaded, state: { kind: 'off' } })).toBeNull();
      expect(chatModelKey(own({ kind: 'ready' }))).toBe(chatModelKey(own(idle)));
      const frugal = servingStatus({ kind: 'ready' }, STARTER_MODEL, { budgetBytes: 1e9 });
      expect(chatModelKey(frugal)).not.toBe(chatModelKey(READY));
    });
  });

  it('shows the turns of the current conversation, and the states of the answers', () => {
    const events: ChatEvent[] = [
      { kind: 'asked', turnId: 't', question: { text: 'Why?', command: 'explain', attachments: [] }, isDraft: true },
      {
        kind: 'ended',
        turnId: 't',
        answer: { state: 'cutOff', text: 'Be', thinking: 'hm', error: null, droppedTurns: 2, forgottenTokens: 0 },
      },
    ];
    const chat = events.reduce(reduceChat, emptyChat('c'));
    const { state } = panel(READY, CAN, chat, false);
    expect(state.conversations).toEqual([{ id: 'c', title: '/explain Why?' }]);
    expect(state.turns).toEqual([
      expect.objectContaining({ question: '/explain Why?', answer: 'Be', thinking: 'hm', state: 'cutOff' }),
    ]);
    expect(state.turns[0]?.remark).toBe(
      'Cut off: the answer reached its length limit. The model left out the 2 oldest questions.',
    );
  });

  it('takes a question in another conversation than the one whose answer runs, which has the button that stops', () => {
    const question = { text: 'Why?', command: null, attachments: [] };
    const asked = reduceChat(emptyChat('c'), { kind: 'asked', turnId: 't', question, isDraft: true });
    expect(panel(READY, CAN, asked, true).state.running).toBe(true);
    const other = reduceChat(asked, { kind: 'created', id: 'new' });
    expect(panel(READY, CAN, other, true).state).toMatchObject({ currentId: 'new', running: false, canAsk: true });
    const back = reduceChat(other, { kind: 'selected', id: 'c' });
    expect(panel(READY, CAN, back, true).state.running).toBe(true);
  });

  it('says that one question was left out, in the singular', () => {
    const answer = {
      state: 'complete',
      text: 'Be',
      thinking: '',
      error: null,
      droppedTurns: 1,
      forgottenTokens: 0,
    } as const;
    const turn = { id: 't', question: { text: '', command: null, attachments: [] }, answer };
    expect(turnView(turn).remark).toBe('The model left out the oldest question.');
  });

  it('reports a context shift', () => {
    const answer = {
      state: 'complete',
      text: 'Be',
      thinking: '',
      error: null,
      droppedTurns: 0,
      forgottenTokens: 120,
    } as const;
    const turn = { id: 't', question: { text: '', command: null, attachments: [] }, answer };
    expect(turnView(turn).remark).toBe(
      'The context was full, so the model forgot the oldest part of this conversation.',
    );
  });

  it('reports an empty answer', () => {
    const answer = {
      state: 'complete',
      text: ' ',
      thinking: 'hm',
      error: null,
      droppedTurns: 0,
      forgottenTokens: 0,
    } as const;
    const turn = { id: 't', question: { text: '', command: null, attachments: [] }, answer };
    expect(turnView(turn).remark).toBe('No answer.');
    expect(turnView({ ...turn, answer: { ...answer, state: 'running' } }).remark).toBeNull();
  });
});

describe('the size of the next question', () => {
  const file = { id: 'a', kind: 'file', label: 'a.ts', uri: 'file:///a.ts', languageId: '', text: 'x' } as const;
  const question = { text: 'Why?', command: null, attachments: [] };
  const replay = (...events: readonly ChatEvent[]) => events.reduce(reduceChat, emptyChat('c'));
  const asked: ChatEvent = { kind: 'asked', turnId: 't', question, isDraft: true };
  const parts = (chat = replay(asked), status = READY, capabilities = CAN, running = false) =>
    measuredParts(status, capabilities, chat, NO_PROJECT_TEXTS, running);

  it('is not measured again for a suggestion, or a key in the attached file', () => {
    const working: InklingStatus = { ...servingStatus({ kind: 'working' }), lastCompletion: READY.lastCompletion };
    expect(isEqual(parts(), parts(replay(asked), structuredClone(working)))).toBe(true);
    const followed = (text: string): ChatEvent => ({
      kind: 'followed',
      attachment: { ...file, text, isAutomatic: true },
    });
    expect(isEqual(parts(replay(asked, followed('x'))), parts(replay(asked, followed('xy'))))).toBe(true);
  });

  it.each<[string, readonly unknown[]]>([
    ['the draft', parts(replay(asked, { kind: 'drafted', text: 'Ho' }))],
    ['the attachments', parts(replay(asked, { kind: 'attached', attachment: file }))],
    ['the automatic attachment', parts(replay(asked, { kind: 'followed', attachment: file }))],
    ['the turns', parts(replay(asked, { kind: 'said', turnId: 't', thinking: '', text: 'So' }))],
    ['what is edited', parts(replay(asked, { kind: 'editing', turnId: 't', text: '' }))],
    ['the reasoning', parts(replay(asked, { kind: 'thinkChanged', think: false }))],
    ['the model', parts(undefined, READY, { ...CAN, promptBudget: 5 })],
    ['its load', parts(undefined, STARTING_STATUS)],
    // Nothing is measured while an answer runs, also one of another conversation.
    ['the end of an answer', parts(undefined, undefined, undefined, true)],
  ])('is measured again for %s', (_name, changed) => {
    expect(isEqual(parts(), changed)).toBe(false);
  });
});

it('the size is shown with the left-out questions, and with the reason if it is too large', () => {
  expect(sizeView(null)).toBeNull();
  const size = { promptTokens: 50, isEstimate: false, promptBudget: 100, droppedTurns: 0 };
  expect(sizeView(size)).toEqual({ text: '50 of 100 tokens', share: 0.5 });
  expect(sizeView({ ...size, promptTokens: 90, droppedTurns: 3 })?.text).toBe(
    '90 of 100 tokens, oldest 3 questions left out',
  );
  // A remote server does not tell the exact number.
  expect(sizeView({ ...size, isEstimate: true })?.text).toBe('about 50 of 100 tokens');
  expect(sizeView({ ...size, isEstimate: true, droppedTurns: 1 })?.text).toBe(
    'about 50 of 100 tokens, oldest question left out',
  );
  expect(sizeView({ tooLong: 'Too long.' })).toEqual({ text: 'Too long.', share: 2 });
});
