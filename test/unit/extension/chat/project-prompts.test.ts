import { describe, expect, it } from 'vitest';
import { readOwnPrompt, rulesPrompt } from '../../../../extension/src/chat/project-prompts.js';
import { parseQuestion, questionInput } from '../../../../extension/src/chat/question-text.js';

describe('a prompt of the project', () => {
  it('is named like its file, and described by its first line', () => {
    expect(readOwnPrompt('code-review.md', '# Review\r\n\r\nLook at it.\r\n')).toEqual({
      name: 'code-review',
      summary: 'Review',
      text: '# Review\n\nLook at it.',
    });
    expect(readOwnPrompt('a.md', 'x'.repeat(500))?.summary).toHaveLength(80);
  });

  it.each([
    ["one of Inkling's own commands", 'fix.md', 'x'],
    ['no name of a command', 'My Prompt.md', 'x'],
    ['no Markdown', 'review.txt', 'x'],
    ['a path', '../review.md', 'x'],
    ['empty', 'review.md', ' \n'],
  ])('is not read if it is %s', (_what, name, content) => {
    expect(readOwnPrompt(name, content)).toBeNull();
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
});
