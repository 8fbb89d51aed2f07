import { describe, expect, it } from 'vitest';
import { readOwnPrompt, rulesPrompt } from '../../../../../extension/src/chat/attachments/project-prompts.js';
import { parseQuestion, questionInput } from '../../../../../extension/src/chat/conversation/question-text.js';

describe('a prompt of the project', () => {
  it('is named like its file, and described by its first line', () => {
    expect(readOwnPrompt('code-review.md', '# Review\r\n\r\nLook at it.\r\n')).toEqual({
      name: 'code-review',
      summary: 'Review',
      text: '# Review\n\nLook at it.',
    });
    expect(readOwnPrompt('a.md', 'x'.repeat(500))).toMatchObject({ summary: `${'x'.repeat(79)}…` });
    const emoji = `${'x'.repeat(78)}\u{1F600}\u{1F600}`;
    expect(readOwnPrompt('a.md', emoji)).toMatchObject({ summary: `${'x'.repeat(78)}…` });
  });

  it.each(['CodeReview', 'add_tests', 'add-tests', 'v2.1', '2nd-look', 'Prüfung'])('may be named %s', (name) => {
    const prompt = readOwnPrompt(`${name}.md`, 'Look.');
    expect(prompt).toMatchObject({ name });
    if (typeof prompt === 'string') throw new Error(prompt);
    expect(parseQuestion(`/${name} this`, [prompt])).toMatchObject({ text: 'this', own: { name } });
    expect(parseQuestion(`/${name.toLowerCase()} this`, [prompt])).toMatchObject({ text: 'this', own: { name } });
    expect(parseQuestion(`/${name}x this`, [prompt])).toEqual({ text: `/${name}x this`, command: null });
  });

  it('is the one whose name has the same case, if there are two', () => {
    const prompts = ['review', 'Review'].map((name) => ({ name, summary: '', text: name }));
    expect(parseQuestion('/Review', prompts)).toMatchObject({ own: { name: 'Review' } });
    expect(parseQuestion('/review', prompts)).toMatchObject({ own: { name: 'review' } });
  });

  it.each([
    ["one of Inkling's own commands", 'fix.md', 'x', /named like one of Inkling/],
    ["one of Inkling's own commands in another case", 'Fix.md', 'x', /named like one of Inkling/],
    ['no name of a command', 'My Prompt.md', 'x', /its name may have/],
    ['no Markdown', 'review.txt', 'x', /its name may have/],
    ['a path', '../review.md', 'x', /its name may have/],
    ['empty', 'review.md', ' \n', /is empty/],
  ])('is not read if it is %s, and says so', (_what, name, content, why) => {
    expect(readOwnPrompt(name, content)).toMatch(why);
  });

  it('begins a question; a name that is not there stays text', () => {
    const prompt = { name: 'code-review', summary: '', text: 'Look.' };
    const parsed = parseQuestion('/code-review  this ', [prompt]);
    expect(parsed).toEqual({ text: 'this', command: null, own: { name: 'code-review', text: 'Look.' } });
    expect(questionInput({ ...parsed, attachments: [] })).toBe('/code-review this');
    expect(parseQuestion('/code-review this')).toEqual({ text: '/code-review this', command: null });
  });
});

it('rules are cut at their limit, visibly', () => {
  expect(rulesPrompt('abcdef', 3).endsWith('abc\n…')).toBe(true);
  expect(rulesPrompt('abc\n', 9).endsWith('abc')).toBe(true);
  expect(rulesPrompt('ab\u{1F600}ef', 3).endsWith('ab\n…')).toBe(true);
});
