import { describe, expect, it } from 'vitest';
import {
  type Commit,
  commitMessages,
  readCommitMessage,
} from '../../../../extension/src/commit-message/commit-prompt.js';

const COMMIT: Commit = { diffs: ['diff --git a/a b/a\n+new'], hidden: 0, subjects: [], begun: '', rules: null };
const userText = (commit: Partial<Commit>) => commitMessages({ ...COMMIT, ...commit }).at(-1)?.text ?? '';

describe('the question for a commit message', () => {
  it('shows the changes, the last subjects, what the user began, and how many files are hidden', () => {
    const text = userText({ hidden: 2, subjects: ['Add a cart\n\nA body.', 'Mend it'], begun: 'cart:' });
    expect(text).toContain('```diff\ndiff --git a/a b/a\n+new\n```');
    expect(text).toContain('Add a cart\nMend it');
    expect(text).not.toContain('A body.');
    expect(text).toContain('2 more files change.');
    expect(text).toContain('cart:');
    expect(userText({ hidden: 1 })).toContain('One more file changes.');
    expect(userText({})).not.toContain('more file');
    expect(commitMessages({ ...COMMIT, rules: 'Use past tense.' })[0]?.text).toContain('Use past tense.');
  });

  it('is limited, whatever changed', () => {
    const text = userText({ diffs: Array.from({ length: 300 }, () => 'x'.repeat(50_000)) });
    expect(text.length).toBeLessThan(17_000);
    expect(text).toContain('296 more files change.');
  });

  it('holds no half of an emoji where a text was cut', () => {
    const emoji = '\u{1F600}'.repeat(3_000);
    for (const odd of ['', 'x']) {
      const text = userText({ diffs: [odd + emoji], subjects: [odd + emoji], begun: odd + emoji });
      expect(text.isWellFormed()).toBe(true);
    }
  });
});

describe('the message in an answer', () => {
  it.each([
    ['alone', 'Count items once'],
    ['in a block', '```\nCount items once\n```'],
    ['in a block with words around it', 'Here it is:\n```text\nCount items once\n```\nGood luck!'],
    ['in quotes', '"Count items once"'],
    ['with a title', '**Commit message:**\n\nCount items once'],
    ['with a label', 'Commit message: Count items once'],
    ['behind an introduction', 'Here is the commit message:\n\nCount items once'],
    ['behind an introduction without a colon', "Here's a short commit message for your changes\n\nCount items once"],
    ['behind consent', 'Sure! \nHere is one:\nCount items once'],
    ['behind an introduction in another language', 'Das wäre sie:\n~~~\nCount items once\n~~~'],
    ['behind an introduction inside a block', '```\nCommit message:\nCount items once\n```'],
    ['in the line that introduces it', "Here's the commit message: Count items once"],
    ['with the end of a block alone', 'Count items once\n```'],
    ['in a block without an end', '```text\nCount items once'],
    ['with control characters', 'Count\u0007 items\u001b once'],
  ])('is read %s', (_name, answer) => {
    expect(readCommitMessage(answer)).toBe('Count items once');
  });

  it('keeps its body', () => {
    expect(readCommitMessage('Count once\r\n\r\n- one\r\n- two\r\n')).toBe('Count once\n\n- one\n- two');
    const code = 'Count once\n\nIt is:\n```ts\ncount();\n```\nNow.';
    expect(readCommitMessage(code)).toBe(code);
    expect(readCommitMessage('Change three things:\n- one\n- two')).toBe('Change three things:\n- one\n- two');
  });

  it('has a line for each, whatever ends the lines of the answer', () => {
    expect(readCommitMessage('Count once\r\r- one\r- two')).toBe('Count once\n\n- one\n- two');
  });

  it('ends in no half of an emoji', () => {
    const body = '\u{1F600}'.repeat(1_000);
    for (const subject of ['Count', 'Count one']) {
      const message = readCommitMessage(`${subject}\n\n${body}x`) ?? '';
      expect(message.startsWith(`${subject}\n\n\u{1F600}`)).toBe(true);
      expect(message.isWellFormed()).toBe(true);
      const long = readCommitMessage(`${subject}\n\nx${body}`) ?? '';
      expect(long.isWellFormed()).toBe(true);
    }
  });

  it.each(['', ' \n ', '```\n```', 'Here is the commit message:', 'x'.repeat(5_000)])('is none in %j', (answer) => {
    expect(readCommitMessage(answer)).toBeNull();
  });
});
