import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ChatController } from '../../../../../extension/src/chat/answer/chat-controller.js';
import {
  type Attachment,
  type Conversation,
  currentConversation,
} from '../../../../../extension/src/chat/conversation/conversation.js';
import { NO_PROJECT_TEXTS, type ProjectTexts } from '../../../../../extension/src/chat/conversation/project-texts.js';
import { conversationMessages } from '../../../../../extension/src/chat/conversation/question-text.js';
import { restoreChat, type StoredChat } from '../../../../../extension/src/chat/conversation/stored-chat.js';
import type { ChatOutcome } from '../../../../../server/protocol/index.js';
import { type Asked, answered, WaitingServer } from './waiting-server.js';

let server: WaitingServer;
let stored: StoredChat | undefined;
let chat: ChatController;
let project: ProjectTexts;
/** What `refresh` leaves out. */
let hidden: string | null;
/** Why `refresh` rejects; null if it does not. */
let unreadable: Error | null;
let changes: number;
let stores: number;
const grown: string[] = [];
const replaced: { readonly before: Conversation; readonly laterTurns: number }[] = [];

beforeEach(() => {
  server = new WaitingServer();
  stored = undefined;
  project = NO_PROJECT_TEXTS;
  hidden = null;
  unreadable = null;
  changes = 0;
  stores = 0;
  grown.length = 0;
  replaced.length = 0;
  let ids = 0;
  chat = new ChatController({
    server,
    store: {
      get: () => stored,
      set: async (value) => {
        stored = value;
        stores++;
      },
    },
    newId: () => String(++ids),
    project: () => project,
    refresh: async (attachments) => {
      if (unreadable !== null) throw unreadable;
      return attachments.filter(({ id }) => id !== hidden).map((each) => ({ ...each, text: `${each.text}, fresh` }));
    },
    listener: {
      onChange: () => {
        changes++;
      },
      onGrown: (id) => grown.push(id),
      onReplaced: (before, laterTurns) => replaced.push({ before, laterTurns }),
      onModelChange: () => undefined,
    },
  });
});

const FOLLOWED: Attachment = {
  ...{ id: 'f', kind: 'file', label: 'f', uri: 'file:///f', languageId: '', text: 'current' },
  isAutomatic: true,
};
const turns = () => currentConversation(chat.state).turns;
const settle = () => new Promise((resolve) => setTimeout(resolve));

describe('asking', () => {
  it('streams an answer, ends it and stores it', async () => {
    const done = chat.ask('One?');
    await settle();
    expect(chat.isRunning).toBe(true);
    server.asked[0]?.say([
      { kind: 'thinking', text: 'hm' },
      { kind: 'answer', text: 'Tw' },
    ]);
    expect(turns()[0]?.answer).toMatchObject({ text: 'Tw', thinking: 'hm', state: 'running' });
    expect(grown).toHaveLength(1);
    server.asked[0]?.end(answered('Two.'));
    await done;
    expect(chat.isRunning).toBe(false);
    expect(turns()[0]?.answer).toMatchObject({ text: 'Two.', state: 'complete' });
    expect(stored?.conversations).toEqual([currentConversation(chat.state)]);
  });

  it('sends the earlier messages, and attachments as they are now', async () => {
    void chat.ask('One?');
    await settle();
    server.asked[0]?.end(answered('Two.'));
    await settle();
    const attachment: Attachment = { id: 'f', kind: 'file', label: 'f', uri: 'file:///f', languageId: '', text: 'old' };
    chat.apply({ kind: 'attached', attachment });
    void chat.ask('Three?');
    await settle();
    const { messages } = server.asked[1]!;
    expect(messages.map(({ text }) => text).slice(1, 3)).toEqual(['One?', 'Two.']);
    expect(messages.at(-1)?.text).toContain('old, fresh');
  });

  it('sends what the user works on, and stores no question if the user only looks at a file', async () => {
    chat.apply({ kind: 'followed', attachment: FOLLOWED });
    expect(stored).toBeUndefined();
    void chat.ask('What is it?');
    await settle();
    expect(server.asked[0]?.messages.at(-1)?.text).toContain('current, fresh');
    expect(turns()[0]?.question.attachments).toEqual([{ ...FOLLOWED, text: 'current, fresh' }]);
  });

  it('tells the next question what the model got with this one, which the user has changed since', async () => {
    chat.apply({ kind: 'attached', attachment: { ...FOLLOWED, isAutomatic: false } });
    void chat.ask('What is it?');
    await settle();
    const got = server.asked[0]?.messages.at(-1)?.text;
    expect(got).toContain('current, fresh');
    server.asked[0]?.end(answered('A file.'));
    await settle();
    void chat.ask('And now?');
    await settle();
    expect(server.asked[1]?.messages[1]?.text).toBe(got);
  });

  it('changes nothing that is shown or measured while the user types in the attached file', async () => {
    chat.apply({ kind: 'followed', attachment: FOLLOWED });
    const before = changes;
    chat.apply({ kind: 'followed', attachment: { ...FOLLOWED, text: 'two' } });
    expect(changes).toBe(before);
    expect(chat.state.automatic?.text).toBe('two');
    chat.apply({ kind: 'followed', attachment: null });
    expect(changes).toBe(before + 1);
  });

  it('shows that an attachment was left out which may no longer be shown', async () => {
    chat.apply({ kind: 'attached', attachment: { ...FOLLOWED, id: 'chosen', uri: 'file:///c', isAutomatic: false } });
    chat.apply({ kind: 'followed', attachment: FOLLOWED });
    hidden = FOLLOWED.id;
    void chat.ask('What is it?');
    await settle();
    expect(server.asked[0]?.messages.at(-1)?.text.match(/current, fresh/g)).toHaveLength(1);
    expect(turns()[0]?.question.attachments.map(({ id }) => id)).toEqual(['chosen']);
  });

  it("begins with the project's rules, and with a prompt of the project that the question names", async () => {
    const review = { name: 'review', summary: 'Look', text: 'Look at this critically.' };
    project = { rules: `Use tabs. ${'x'.repeat(100_000)}`, prompts: [review] };
    void chat.ask('/review the cart');
    await settle();
    const [system, question] = server.asked[0]?.messages ?? [];
    expect(system?.text).toContain('Use tabs.');
    expect(system?.text.length).toBeLessThan(3_000);
    expect(question?.text).toBe('Look at this critically.\nthe cart');
    expect(turns()[0]?.question).toMatchObject({ text: 'the cart', command: null, own: { name: 'review' } });
    // The prompt as it was asked is kept, whatever becomes of its file.
    project = NO_PROJECT_TEXTS;
    expect(restoreChat(JSON.parse(JSON.stringify(stored)), 'n').conversations[1]?.turns[0]?.question.own?.text).toBe(
      review.text,
    );
    expect(server.asked).toHaveLength(1);
  });

  it('leaves out what the user works on if the question does not fit with it, and shows that', async () => {
    const file = { kind: 'file', uri: 'file:///f', languageId: '', text: 'much' } as const;
    chat.apply({ kind: 'attached', attachment: { ...file, id: 'chosen', label: 'chosen', uri: 'file:///c' } });
    chat.apply({ kind: 'followed', attachment: { ...file, id: 'auto', label: 'auto', isAutomatic: true } });
    const tooLong: ChatOutcome = { kind: 'refused', refusal: { reason: 'questionTooLong', message: 'Too long.' } };
    const done = chat.ask('What is it?');
    await settle();
    server.asked[0]?.end(tooLong);
    await settle();
    expect(server.asked[1]?.messages.at(-1)?.text).not.toContain('`auto`');
    expect(server.asked[1]?.messages.at(-1)?.text).toContain('`chosen`');
    expect(turns()[0]?.question.attachments.map(({ id }) => id)).toEqual(['chosen']);
    // What the user chose is not left out.
    server.asked[1]?.end(tooLong);
    await done;
    expect(server.asked).toHaveLength(2);
    expect(turns()[0]?.answer.error).toBe('Too long.');
  });

  it('asks a command as a new question, with its own attachments, while an earlier one is being edited', async () => {
    const file = { kind: 'file', languageId: '', text: 'x' } as const;
    for (const question of ['One?', 'Two?']) {
      const done = chat.ask(question);
      await settle();
      server.asked.at(-1)?.end(answered('Yes.'));
      await done;
    }
    chat.apply({ kind: 'editing', turnId: turns()[0]!.id, text: 'One?' });
    chat.apply({ kind: 'attached', attachment: { ...file, id: 'old', label: 'old', uri: 'file:///old' } });
    const { draft, editing } = chat.state;
    void chat.askCommand('fix', [{ ...file, id: 'new', label: 'new', uri: 'file:///new' }]);
    await settle();
    expect(turns().map(({ question }) => question.text || question.command)).toEqual(['One?', 'Two?', 'fix']);
    expect(turns()[2]?.question.attachments.map(({ id }) => id)).toEqual(['new']);
    expect(chat.state).toMatchObject({ draft, editing });
  });

  it('asks nothing without a question', async () => {
    await chat.ask('  ');
    expect(server.asked).toHaveLength(0);
  });

  it('a second question stops the first answer, whose text stays', async () => {
    const first = chat.ask('One?');
    await settle();
    server.asked[0]?.say([{ kind: 'answer', text: 'Tw' }]);
    const second = chat.ask('Three?');
    expect(server.asked[0]?.signal.aborted).toBe(true);
    server.asked[0]?.end(answered('Tw', 'stopped'));
    await first;
    await settle();
    expect(chat.isRunning).toBe(true);
    server.asked[1]?.end(answered('Four.'));
    await second;
    expect(turns().map(({ answer }) => [answer.state, answer.text])).toEqual([
      ['stopped', 'Tw'],
      ['complete', 'Four.'],
    ]);
  });

  it('shows the error, and keeps the answer so far', async () => {
    const done = chat.ask('One?');
    await settle();
    server.asked[0]?.say([{ kind: 'answer', text: 'Tw' }]);
    server.asked[0]?.end(null);
    await done;
    const error = 'The language server did not answer. Try again.';
    expect(turns()[0]?.answer).toMatchObject({ state: 'failed', text: 'Tw', error });
    const retried = chat.retry(turns()[0]!.id);
    await settle();
    server.asked[1]?.end({ kind: 'refused', refusal: { reason: 'notReady', message: 'Not yet.' } });
    await retried;
    expect(turns().map(({ answer }) => answer.error)).toEqual(['Not yet.']);
  });

  it('ends with the reason where it cannot be asked, and the next question can', async () => {
    unreadable = new Error('[UriError]: Scheme is missing');
    await chat.ask('One?');
    expect(chat.isRunning).toBe(false);
    expect(turns()[0]?.answer).toMatchObject({ state: 'failed', error: expect.stringContaining('Scheme is missing') });
    expect(stored?.conversations[0]?.turns[0]?.answer.state).toBe('failed');
    unreadable = null;
    const done = chat.retry(turns()[0]!.id);
    await settle();
    server.asked[0]?.end(answered('Two.'));
    await done;
    expect(turns().map(({ answer }) => answer.text)).toEqual(['Two.']);
  });

  it('an answer stopped before its first text shows no error, whatever the server reports', async () => {
    const outcomes: (ChatOutcome | null)[] = [
      answered('', 'stopped'),
      { kind: 'refused', refusal: { reason: 'notReady', message: 'Not yet.' } },
      null,
    ];
    for (const [index, outcome] of outcomes.entries()) {
      const done = chat.ask('One?');
      await settle();
      chat.stop();
      expect(server.asked[index]?.signal.aborted).toBe(true);
      server.asked[index]?.end(outcome);
      await done;
      expect(turns()[index]?.answer).toMatchObject({ state: 'stopped', text: '', error: null });
    }
  });

  it('a deleted conversation stops its answer, which is then dropped', async () => {
    const done = chat.ask('One?');
    await settle();
    chat.deleteConversation();
    expect(server.asked[0]?.signal.aborted).toBe(true);
    server.asked[0]?.end(answered('Tw', 'stopped'));
    await done;
    expect(turns()).toEqual([]);
  });

  it('an answer continues in its conversation while another one is shown', async () => {
    const done = chat.ask('One?');
    await settle();
    chat.newConversation();
    server.asked[0]?.end(answered('Two.'));
    await done;
    expect(turns()).toEqual([]);
    expect(chat.state.conversations[1]?.turns[0]?.answer.text).toBe('Two.');
  });
});

describe('a growing answer', () => {
  const restored = () => restoreChat(JSON.parse(JSON.stringify(stored)), 'n').conversations[1]?.turns;

  afterEach(() => {
    vi.useRealTimers();
  });

  it('is stored every few seconds, and stays in the prompt after the window was reloaded', async () => {
    void chat.ask('One?');
    await settle();
    vi.useFakeTimers();
    const before = stores;
    for (const text of ['It', ' is', ' one']) server.asked[0]?.say([{ kind: 'answer', text }]);
    expect(stores).toBe(before);
    vi.advanceTimersByTime(5_000);
    expect(stores).toBe(before + 1);
    // Nothing more came.
    vi.advanceTimersByTime(60_000);
    expect(stores).toBe(before + 1);
    const turns = restored() ?? [];
    expect(turns.map(({ answer }) => [answer.state, answer.text])).toEqual([['stopped', 'It is one']]);
    const messages = conversationMessages(turns, { text: 'Two?', command: null, attachments: [] });
    expect(messages.map(({ text }) => text).slice(1)).toEqual(['One?', 'It is one', 'Two?']);
  });

  it('is stored as it is when the window closes, and is no failure', async () => {
    const done = chat.ask('One?');
    await settle();
    server.asked[0]?.say([{ kind: 'answer', text: 'It is' }]);
    await chat.close();
    expect(restored()?.[0]?.answer).toMatchObject({ state: 'stopped', text: 'It is' });
    // The server ends with the window.
    server.asked[0]?.end(null);
    await done;
    expect(restored()?.[0]?.answer).toMatchObject({ state: 'stopped', text: 'It is', error: null });
  });
});

it('stores nothing where no conversation changes', async () => {
  chat.apply({ kind: 'attached', attachment: { ...FOLLOWED, isAutomatic: false } });
  chat.apply({ kind: 'drafted', text: 'What' });
  chat.newConversation();
  expect(stores).toBe(0);
  chat.apply({ kind: 'thinkChanged', think: false });
  expect(stores).toBe(1);
});

describe('later questions that an earlier one replaces', () => {
  const texts = (conversation: Conversation | undefined) => conversation?.turns.map(({ question }) => question.text);

  beforeEach(async () => {
    for (const question of ['One?', 'Two?', 'Three?']) {
      const done = chat.ask(question);
      await settle();
      server.asked.at(-1)?.end(answered(`To ${question}`));
      await done;
    }
  });

  it.each([
    ['asked', 'Uno?', () => void chat.ask('Uno?')],
    ['answered', 'One?', () => void chat.retry(turns()[0]!.id)],
  ])('come back as another conversation, if it is %s again', async (_how, text, again) => {
    chat.apply({ kind: 'editing', turnId: turns()[0]!.id, text: 'One?' });
    again();
    await settle();
    expect(replaced.map(({ before, laterTurns }) => [texts(before), laterTurns])).toEqual([
      [['One?', 'Two?', 'Three?'], 2],
    ]);
    chat.bringBack(replaced[0]!.before);
    server.asked.at(-1)?.end(answered('To it.'));
    await settle();
    const [back, since] = chat.state.conversations;
    expect(chat.state.currentId).toBe(back?.id);
    expect(texts(back)).toEqual(['One?', 'Two?', 'Three?']);
    expect(back?.turns.map(({ answer }) => answer.text)).toEqual(['To One?', 'To Two?', 'To Three?']);
    expect(texts(since)).toEqual([text]);
    expect(since?.turns[0]?.answer.text).toBe('To it.');
    const ids = chat.state.conversations.flatMap((each) => [each.id, ...each.turns.map(({ id }) => id)]);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('are none behind the last question, whose answer comes back, unless it never began', async () => {
    void chat.retry(turns()[2]!.id);
    await settle();
    expect(replaced.map(({ before, laterTurns }) => [before.turns[2]?.answer.text, laterTurns])).toEqual([
      ['To Three?', 0],
    ]);
    chat.apply({ kind: 'editing', turnId: turns()[2]!.id, text: 'Three?' });
    void chat.ask('Tres?');
    await settle();
    void chat.ask('Four?');
    await settle();
    expect(turns()).toHaveLength(4);
    expect(replaced).toHaveLength(1);
  });
});

it('the size of a changed question counts only the turns before it', async () => {
  void chat.ask('One?');
  await settle();
  server.asked[0]?.end(answered('Two.'));
  await settle();
  await chat.size();
  chat.apply({ kind: 'editing', turnId: turns()[0]!.id, text: 'Uno?' });
  await chat.size();
  expect(server.sizes.map((each) => (each as Asked).messages.map(({ text }) => text).slice(1))).toEqual([
    ['One?', 'Two.', '?'],
    ['Uno?'],
  ]);
});
