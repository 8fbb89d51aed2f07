import { describe, expect, it } from 'vitest';
import {
  type Answer,
  type Attachment,
  attachmentsToSend,
  type ChatEvent,
  type ChatState,
  type Conversation,
  currentConversation,
  emptyChat,
  findTurn,
  MOST_CONVERSATIONS,
  nextAttachments,
  reduceChat,
  shownUntil,
} from '../../../../../extension/src/chat/conversation/conversation.js';
import { conversationMessages } from '../../../../../extension/src/chat/conversation/question-text.js';
import { restoreChat, storeChat } from '../../../../../extension/src/chat/conversation/stored-chat.js';

const FILE: Attachment = {
  id: 'a',
  kind: 'file',
  label: 'a.ts',
  uri: 'file:///a.ts',
  languageId: 'typescript',
  text: 'x',
};

const asked = (turnId: string, text = turnId): ChatEvent => ({
  kind: 'asked',
  turnId,
  question: { text, command: null, attachments: [] },
  isDraft: true,
});
const answer: Answer = {
  ...{ state: 'complete', text: '', thinking: '', error: null },
  ...{ droppedTurns: 0, forgottenTokens: 0 },
};
const ended = (turnId: string): ChatEvent => ({
  kind: 'ended',
  turnId,
  answer: { ...answer, text: `to ${turnId}` },
});
const failed = (turnId: string, state: 'failed' | 'stopped' = 'failed'): ChatEvent => ({
  kind: 'ended',
  turnId,
  answer: { ...answer, state },
});
const editing = (turnId: string, text = turnId): ChatEvent => ({ kind: 'editing', turnId, text });
const drafted = (text: string): ChatEvent => ({ kind: 'drafted', text });
const replay = (events: readonly ChatEvent[], state: ChatState = emptyChat('c')) => events.reduce(reduceChat, state);
const ids = (state: ChatState) => currentConversation(state).turns.map(({ id }) => id);

describe('a conversation', () => {
  it('grows by questions, and an answer by pieces', () => {
    const state = replay([
      asked('1'),
      { kind: 'said', turnId: '1', thinking: 'h', text: '' },
      { kind: 'said', turnId: '1', thinking: 'm', text: 'Yes' },
    ]);
    expect(findTurn(state, '1')?.answer).toMatchObject({ state: 'running', thinking: 'hm', text: 'Yes' });
    expect(findTurn(replay([ended('1')], state), '1')?.answer).toMatchObject({ state: 'complete', text: 'to 1' });
  });

  it('ignores pieces of a deleted answer', () => {
    const state = replay([asked('1')]);
    expect(replay([{ kind: 'said', turnId: 'x', thinking: '', text: 'b' }, ended('y')], state)).toEqual(state);
  });

  it('loses the turns after an edited question', () => {
    const state = replay([asked('1'), ended('1'), asked('2'), ended('2'), asked('3'), ended('3')]);
    const begun = replay([editing('2')], state);
    expect(begun).toMatchObject({ editing: { turnId: '2' }, draft: { text: '2' } });
    expect(ids(replay([asked('2b')], begun))).toEqual(['1', '2b']);
    expect(replay([{ kind: 'editingCancelled' }], begun)).toEqual(state);
    expect(replay([editing('x')], state)).toEqual(state);
  });

  it('answers a question again in its place', () => {
    const state = replay([asked('1'), ended('1'), asked('2', 'b'), ended('2')]);
    const again = replay([{ kind: 'retried', turnId: '1', newTurnId: '1b' }], state);
    expect(ids(again)).toEqual(['1b']);
    expect(findTurn(again, '1b')).toMatchObject({ question: { text: '1' }, answer: { state: 'running', text: '' } });
    expect(replay([{ kind: 'retried', turnId: 'x', newTurnId: 'y' }], state)).toEqual(state);
  });

  it('shows an attachment once, and sends it with the question', () => {
    const attached = replay([
      { kind: 'attached', attachment: FILE },
      { kind: 'attached', attachment: { ...FILE, id: 'b', text: 'y' } },
    ]);
    expect(attached.draft.attachments).toEqual([{ ...FILE, id: 'b', text: 'y' }]);
    expect(replay([{ kind: 'detached', id: 'b' }], attached).draft.attachments).toEqual([]);
    expect(replay([asked('1')], attached).draft.attachments).toEqual([]);
  });

  it('shows what the user works on with the next question, unless it is attached', () => {
    const automatic = { ...FILE, id: 'auto', isAutomatic: true };
    const followed = replay([{ kind: 'followed', attachment: automatic }]);
    expect(nextAttachments(followed)).toEqual([automatic]);
    expect(nextAttachments(replay([{ kind: 'attached', attachment: FILE }], followed))).toEqual([FILE]);
    const selection: Attachment = { ...FILE, kind: 'selection', label: 'a.ts:1-2' };
    expect(nextAttachments(replay([{ kind: 'attached', attachment: selection }], followed))).toHaveLength(2);
    expect(nextAttachments(replay([{ kind: 'detached', id: 'auto' }], followed))).toEqual([]);
    const both = replay([{ kind: 'attached', attachment: FILE }], followed);
    expect(nextAttachments(replay([{ kind: 'detached', id: 'a' }], both))).toEqual([]);
    expect(nextAttachments(replay([asked('1'), { kind: 'created', id: 'd' }], followed))).toEqual([automatic]);
  });

  it('does not repeat what the conversation shows already, while the model gets that question', () => {
    const automatic = { ...FILE, isAutomatic: true };
    const question = { text: 'q', command: null, attachments: [automatic] };
    const first = replay([
      { kind: 'followed', attachment: automatic },
      { kind: 'asked', turnId: '1', question, isDraft: true },
    ]);
    expect(attachmentsToSend(replay([ended('1')], first))).toEqual([]);
    expect(attachmentsToSend(replay([ended('1'), editing('1')], first))).toEqual([automatic]);
    expect(attachmentsToSend(replay([ended('1'), { kind: 'attached', attachment: FILE }], first))).toEqual([FILE]);
    const changed = { ...automatic, text: 'y' };
    expect(attachmentsToSend(replay([ended('1'), { kind: 'followed', attachment: changed }], first))).toEqual([
      changed,
    ]);
    const forgotten: ChatEvent = { kind: 'ended', turnId: '2', answer: { ...answer, droppedTurns: 1 } };
    expect(attachmentsToSend(replay([ended('1'), asked('2'), forgotten], first))).toEqual([automatic]);
    const later: readonly ChatEvent[] = [ended('1'), asked('2'), forgotten, asked('3'), failed('3')];
    expect(attachmentsToSend(replay(later, first))).toEqual([automatic]);
  });

  it.each(['failed', 'stopped'] as const)('shows again what only a question without an answer showed: %s', (state) => {
    const automatic = { ...FILE, isAutomatic: true };
    const question = { text: 'q', command: null, attachments: [automatic] };
    const first = replay([
      { kind: 'followed', attachment: automatic },
      { kind: 'asked', turnId: '1', question, isDraft: true },
      failed('1', state),
    ]);
    // The model gets no question that it has not answered.
    expect(conversationMessages(currentConversation(first).turns, question)).toHaveLength(2);
    expect(attachmentsToSend(first)).toEqual([automatic]);
  });

  it('counts only questions with an answer among those that the model no longer gets', () => {
    const automatic = { ...FILE, isAutomatic: true };
    const question = { text: 'q', command: null, attachments: [automatic] };
    const forgotten: ChatEvent = { kind: 'ended', turnId: '3', answer: { ...answer, text: 'yes', droppedTurns: 1 } };
    const state = replay([
      { kind: 'followed', attachment: automatic },
      ...[asked('1'), failed('1')],
      ...[{ kind: 'asked', turnId: '2', question, isDraft: true } as const, ended('2')],
      ...[asked('3'), forgotten],
    ]);
    expect(attachmentsToSend(state)).toEqual([automatic]);
  });

  it('restores the attachments of an edited question', () => {
    const question = { text: 'q', command: null, attachments: [FILE] };
    const state = replay([{ kind: 'asked', turnId: '1', question, isDraft: true }, ended('1'), editing('1', 'q')]);
    expect(state.draft).toEqual({ text: 'q', attachments: [FILE] });
  });
});

describe('a draft, of text and attachments,', () => {
  const OTHER: Attachment = { ...FILE, id: 'b', label: 'b.ts', uri: 'file:///b.ts' };
  const draft = { text: 'So far', attachments: [OTHER] };
  const question = { text: 'q', command: null, attachments: [FILE] };
  const begun = replay([
    { kind: 'asked', turnId: '1', question, isDraft: true },
    ended('1'),
    { kind: 'attached', attachment: OTHER },
    drafted('So far'),
  ]);

  it.each<[string, readonly ChatEvent[]]>([
    ['when editing is cancelled', [{ kind: 'editingCancelled' }]],
    ['when the edited question is asked', [asked('1b')]],
    ['when a question is answered again', [{ kind: 'retried', turnId: '1', newTurnId: '1b' }]],
    ['in a new conversation', [{ kind: 'created', id: 'd' }]],
    ['in another conversation', [{ kind: 'selected', id: 'old' }]],
    ['when the conversation is deleted', [{ kind: 'deleted', id: 'c', nextId: 'e' }]],
    ['when another question was edited after it', [editing('1'), { kind: 'editingCancelled' }]],
  ])('comes back from editing %s', (_name, events) => {
    const two = { ...begun, conversations: [...begun.conversations, { id: 'old', turns: [] }] };
    const edited = replay([editing('1', 'q'), drafted('q, changed'), { kind: 'detached', id: 'a' }], two);
    expect(edited.draft).toEqual({ text: 'q, changed', attachments: [] });
    expect(replay(events, edited)).toMatchObject({ editing: null, draft });
  });

  it.each<[string, ChatEvent]>([
    ['a new conversation', { kind: 'created', id: 'd' }],
    ['the deletion of the last conversation', { kind: 'deleted', id: 'c', nextId: 'e' }],
    ['a question that is no draft', { kind: 'asked', turnId: '2', question, isDraft: false }],
  ])('outlives %s', (_name, event) => {
    expect(replay([event], begun).draft).toEqual(draft);
  });

  it('goes with its question', () => {
    expect(replay([asked('2')], begun).draft).toEqual({ text: '', attachments: [] });
  });

  it('that edits stays behind a question that is no draft, and replaces that too', () => {
    const command: ChatEvent = { kind: 'asked', turnId: '2', question, isDraft: false };
    const state = replay([editing('1', 'q'), command], begun);
    expect(ids(state)).toEqual(['1', '2']);
    expect(state).toMatchObject({ editing: { turnId: '1' }, draft: { text: 'q' } });
    expect(ids(replay([asked('1b')], state))).toEqual(['1b']);
  });
});

describe('conversations', () => {
  it('are created when needed, last used first', () => {
    const empty = replay([{ kind: 'created', id: 'd' }]);
    expect(empty.conversations).toHaveLength(1);
    const two = replay([asked('1'), { kind: 'created', id: 'd' }]);
    expect(two).toMatchObject({ currentId: 'd', conversations: [{ id: 'd' }, { id: 'c' }] });
    const back = replay([{ kind: 'selected', id: 'c' }, asked('2')], two);
    expect(back.conversations.map(({ id }) => id)).toEqual(['c', 'd']);
    expect(replay([{ kind: 'selected', id: 'x' }], two)).toEqual(two);
  });

  it('can be deleted, and never all of them', () => {
    const two = replay([asked('1'), { kind: 'created', id: 'd' }]);
    expect(replay([{ kind: 'deleted', id: 'd', nextId: 'e' }], two)).toMatchObject({ currentId: 'c' });
    expect(replay([{ kind: 'deleted', id: 'c', nextId: 'e' }], two)).toMatchObject({ currentId: 'd' });
    const none = replay([
      { kind: 'thinkChanged', think: false },
      { kind: 'deleted', id: 'c', nextId: 'e' },
    ]);
    expect(none).toEqual({ ...emptyChat('e'), think: false });
  });

  it('come back after a deletion, shown, with the answers that had begun', () => {
    const two = replay([asked('1'), ended('1'), asked('2'), { kind: 'created', id: 'd' }]);
    const conversation = two.conversations.find(({ id }) => id === 'c')!;
    const gone = replay([{ kind: 'deleted', id: 'c', nextId: 'e' }], two);
    const back = replay([{ kind: 'restored', conversation }], gone);
    expect(back).toMatchObject({ currentId: 'c', conversations: [{ id: 'c' }, { id: 'd' }] });
    expect(currentConversation(back).turns.map(({ answer }) => answer.state)).toEqual(['complete', 'stopped']);
    expect(replay([{ kind: 'restored', conversation }], back)).toEqual(back);
  });

  it('say what was shown until a turn, last first', () => {
    const withFile = (turnId: string, label: string): ChatEvent => ({
      kind: 'asked',
      turnId,
      question: { text: turnId, command: null, attachments: [{ ...FILE, label }] },
      isDraft: true,
    });
    const state = replay([withFile('1', 'a.ts'), ended('1'), withFile('2', 'b.ts'), ended('2'), withFile('3', 'c.ts')]);
    expect(shownUntil(state, '2').map(({ label }) => label)).toEqual(['b.ts', 'a.ts']);
    expect(shownUntil(state, 'x')).toEqual([]);
  });

  describe('up to a size', () => {
    const file = (length: number) => [{ ...FILE, text: 'x'.repeat(length) }];
    /** Each with a size of its question's text and one of an attachment. */
    const conversation = (id: string, ...turns: readonly (readonly [text: number, attached: number])[]) => ({
      id,
      turns: turns.map(([text, attached], index) => ({
        id: `${id}${index}`,
        question: { text: 'q'.repeat(text), command: null, attachments: file(attached) },
        answer,
      })),
    });
    const stored = (...conversations: readonly Conversation[]) =>
      storeChat({ ...emptyChat('n'), conversations }).conversations.map(({ id, turns }) => ({
        id,
        attached: turns.map(({ question }) => question.attachments[0]?.text.length),
      }));

    it('are stored whole, the last used ones; older ones without what was attached', () => {
      const [a, b, c] = ['a', 'b', 'c'].map((id) => conversation(id, [5, 1_500_000]));
      expect(stored(a!, b!, c!)).toEqual([
        { id: 'a', attached: [1_500_000] },
        { id: 'b', attached: [1_500_000] },
        { id: 'c', attached: [0] },
      ]);
    });

    it('lose what was attached to their oldest questions', () => {
      const huge = conversation('huge', [5, 2_500_000], [5, 2_500_000], [5, 10]);
      expect(stored(huge)).toEqual([{ id: 'huge', attached: [0, 2_500_000, 10] }]);
    });

    it("count the project's prompts that they begin with", () => {
      const [begun] = conversation('a', [5, 3_500_000]).turns;
      const own = { name: 'review', text: 'x'.repeat(600_000) };
      const turns = [{ ...begun!, question: { ...begun!.question, own } }];
      expect(stored({ id: 'a', turns })).toEqual([{ id: 'a', attached: [0] }]);
    });

    it('are left out alone, where even their own texts are too much', () => {
      expect(stored(conversation('huge', [4_000_001, 5]), conversation('b', [5, 5]))).toEqual([
        { id: 'b', attached: [5] },
      ]);
    });
  });

  it('are limited', () => {
    let state = emptyChat('0');
    for (let count = 1; count <= MOST_CONVERSATIONS + 5; count++) {
      state = replay([asked(`t${count}`), { kind: 'created', id: String(count) }], state);
    }
    expect(state.conversations).toHaveLength(MOST_CONVERSATIONS);
    expect(state.conversations[0]?.id).toBe(String(MOST_CONVERSATIONS + 5));
  });

  it('outlive the window; a running answer counts as stopped', () => {
    const state = replay([asked('1'), ended('1'), asked('2'), { kind: 'thinkChanged', think: false }]);
    const stored: unknown = JSON.parse(JSON.stringify(storeChat(state)));
    const restored = restoreChat(stored, 'new');
    expect(restored).toMatchObject({ currentId: 'new', think: false, conversations: [{ id: 'new' }, { id: 'c' }] });
    expect(findTurn(restored, '1')).toEqual(findTurn(state, '1'));
    expect(findTurn(restored, '2')?.answer.state).toBe('stopped');
  });

  it('of earlier versions, which did not store what an answer forgot, are read too', () => {
    const stored = JSON.parse(JSON.stringify(storeChat(replay([asked('1'), ended('1')]))));
    delete stored.conversations[0].turns[0].answer.forgottenTokens;
    expect(findTurn(restoreChat(stored, 'n'), '1')?.answer.forgottenTokens).toBe(0);
  });

  it.each([
    undefined,
    null,
    5,
    [],
    { version: 2, conversations: [] },
    { version: 1 },
    { version: 1, conversations: [5] },
  ])('start empty after %j was stored', (stored) => {
    expect(restoreChat(stored, 'n')).toEqual(emptyChat('n'));
  });

  it('drop what cannot be read, and keep the rest', () => {
    const { conversations } = storeChat(replay([asked('1'), ended('1')]));
    const stored = { version: 1, conversations: [{ id: 'bad', turns: [{ id: 'x' }] }, ...conversations], think: true };
    expect(restoreChat(stored, 'n').conversations.map(({ id }) => id)).toEqual(['n', 'c']);
  });
});
