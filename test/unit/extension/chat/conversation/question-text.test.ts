import { describe, expect, it } from 'vitest';
import type {
  Attachment,
  Conversation,
  Question,
  Turn,
} from '../../../../../extension/src/chat/conversation/conversation.js';
import {
  conversationMessages,
  conversationTitle,
  exportMarkdown,
  fenced,
  parseQuestion,
  questionInput,
  questionPrompt,
} from '../../../../../extension/src/chat/conversation/question-text.js';

const SELECTION: Attachment = {
  id: 'a',
  kind: 'selection',
  label: 'cart.ts:3-4',
  uri: 'file:///cart.ts',
  languageId: 'typescript',
  text: 'let a = 1;\n',
};
const question = (text: string, rest: Partial<Question> = {}): Question => ({
  text,
  command: null,
  attachments: [],
  ...rest,
});
const turn = (id: string, asked: Question, text: string): Turn => ({
  id,
  question: asked,
  answer: { state: 'complete', text, thinking: 'secret', error: null, droppedTurns: 0, forgottenTokens: 0 },
});

it.each([
  ['/fix', { command: 'fix', text: '' }],
  ['  /explain why\nso? ', { command: 'explain', text: 'why\nso?' }],
  ['/unknown thing', { command: null, text: '/unknown thing' }],
  ['/fixing', { command: null, text: '/fixing' }],
  ['what is /fix', { command: null, text: 'what is /fix' }],
  ['', { command: null, text: '' }],
])('%j is read as %j', (input, expected) => {
  expect(parseQuestion(input)).toEqual(expected);
});

it("a question converts back to the user's input", () => {
  for (const input of ['/fix', '/tests with vitest', 'Why?']) {
    expect(questionInput(question('', parseQuestion(input)))).toBe(input);
  }
});

it('the model reads the attachments, then the question', () => {
  const prompt = questionPrompt(question('and rename it', { command: 'doc', attachments: [SELECTION] }));
  expect(prompt).toMatch(
    /^From `cart\.ts:3-4`:\n```typescript\nlet a = 1;\n```\n\nAdd documentation .*\nand rename it$/s,
  );
});

it('an attachment whose text was not stored is named to people, not shown to the model as empty', () => {
  const asked = question('Why?', { attachments: [{ ...SELECTION, text: '' }] });
  expect(questionPrompt(asked)).toBe('Why?');
  expect(exportMarkdown({ id: 'c', turns: [turn('1', asked, 'So.')] }, null)).toContain(
    'Why?\n\nAttached `cart.ts:3-4`\n\n## Answer',
  );
});

it('no text ends its own fence', () => {
  expect(fenced('a\n```\nb', 'md')).toBe('````md\na\n```\nb\n````');
  expect(fenced('x', '')).toBe('```\nx\n```');
});

describe('a conversation', () => {
  const conversation: Conversation = {
    id: 'c',
    turns: [turn('1', question('One?', { attachments: [SELECTION] }), 'Two.'), turn('2', question('Lost?'), '')],
  };

  it('is sent without thinking and without unanswered questions', () => {
    const messages = conversationMessages(conversation.turns, question('Three?'));
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
    expect(JSON.stringify(messages)).not.toMatch(/secret|Lost/);
    expect(messages.at(-1)?.text).toBe('Three?');
  });

  it('is named after its first question', () => {
    expect(conversationTitle(conversation)).toBe('One?');
    expect(conversationTitle({ id: 'c', turns: [] })).toBe('New conversation');
    const fix = question('', { command: 'fix', attachments: [SELECTION] });
    expect(conversationTitle({ id: 'c', turns: [turn('1', fix, '')] })).toBe('/fix cart.ts:3-4');
    expect(conversationTitle({ id: 'c', turns: [turn('1', question('x'.repeat(99)), '')] })).toHaveLength(60);
  });

  it('has a title that ends in no half of an emoji', () => {
    const long = `${'x'.repeat(58)}\u{1F600}\u{1F600}`;
    expect(conversationTitle({ id: 'c', turns: [turn('1', question(long), '')] })).toBe(`${'x'.repeat(58)}…`);
  });

  it('is exported with what came of an answer that failed', () => {
    const failed = turn('1', question('One?'), 'Tw');
    const answer = { ...failed.answer, state: 'failed', error: 'The server ended.' } as const;
    expect(exportMarkdown({ id: 'c', turns: [{ ...failed, answer }] }, null)).toBe(
      '# One?\n\n## Question\n\nOne?\n\n## Answer\n\nTw\n\n*The server ended.*\n',
    );
  });

  it('is exported as Markdown', () => {
    expect(exportMarkdown({ ...conversation, turns: conversation.turns.slice(0, 1) }, 'Chatty')).toBe(
      '# One?\n\nModel: Chatty\n\n## Question\n\nOne?\n\nAttached `cart.ts:3-4`:\n\n```typescript\nlet a = 1;\n```\n\n## Answer\n\nTwo.\n',
    );
  });
});
