import { describe, expect, it } from 'vitest';
import { commandLink, markdownText, notificationText, plainText } from '../../../../extension/src/texts/plain-text.js';
import { seededRandom } from '../../../support/seeded-random.js';

/** How VS Code 1.138 finds links in notifications and in the prompts of input boxes (`parseLinkedText`). */
const LINK = /\[([^\]]+)\]\(((?:https?:\/\/|command:|file:)[^)\s]+)(?: (["'])(.+?)(\3))?\)/gi;

describe('text from others', () => {
  it.each([
    ['model [a](command:evil) (7B)', 'model [a] (command:evil) (7B)'],
    ['Qwen [7B] (Q8)', 'Qwen [7B] (Q8)'],
    ['[Show details](https://example.com).md', '[Show details] (https://example.com).md'],
    ['$(verified) Recommended', '$ (verified) Recommended'],
    ['one\r\ntwo\u0000three', 'one two three'],
    ['cart\u202Egnp.exe', 'cartgnp.exe'],
  ])('%j is shown as %j', (text, shown) => {
    expect(plainText(text)).toBe(shown);
  });

  it('is cut at a length that VS Code shows, between characters', () => {
    expect(notificationText('a [b](command:c)')).toBe('a [b] (command:c)');
    expect(notificationText('x'.repeat(1_000))).toHaveLength(1_000);
    expect(notificationText(`${'x'.repeat(998)}\u{1F600}\u{1F600}`)).toBe(`${'x'.repeat(998)}…`);
  });

  it('has no link and no icon, whatever it consists of', () => {
    const random = seededRandom(15);
    const parts = [
      '[',
      ']',
      '(',
      ')',
      '$',
      'command:a',
      'https://b',
      ' ',
      '\n',
      '\u0000',
      '\u202E',
      '"',
      'x',
      'file:c',
    ];
    for (let round = 0; round < 20_000; round += 1) {
      const name = Array.from({ length: 12 }, () => parts[random.below(parts.length)]).join('');
      const shown = plainText(`The file ${name} has changed (${name}).`);
      expect(shown.match(LINK), JSON.stringify(name)).toBeNull();
      expect(shown).not.toContain('$(');
    }
  });

  it.each([
    ['a|b', 'a\\|b'],
    ['[a](command:evil)', '\\[a\\]\\(command\\:evil\\)'],
    ['<command:evil>', '&lt;command\\:evil\\>'],
    ['two\nlines', 'two lines'],
    ['&lt;b', '&amp;lt;b'],
    ['a\u202Eb', 'ab'],
  ])('%j is %j in Markdown', (text, shown) => {
    expect(markdownText(text)).toBe(shown);
  });
});

it('a command link is Markdown', () => {
  expect(commandLink('Restart', 'inkling.restart')).toBe('[Restart](command:inkling.restart)');
});
