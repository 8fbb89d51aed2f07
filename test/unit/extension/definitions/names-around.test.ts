import { describe, expect, it } from 'vitest';
import { namesAround, signatureIn } from '../../../../extension/src/definitions/names-around.js';

const around = (text: string, cursorLine: number) => {
  const lines = text.split('\n');
  return namesAround((line) => lines[line] ?? null, cursorLine);
};
const names = (text: string, cursorLine = 0) => around(text, cursorLine).map(({ name }) => name);

describe('names around the cursor', () => {
  it('are those nearest to it first, each once, at its nearest place', () => {
    const text = 'far(near)\nabove(near)\nconst total = near(item)\nbelow(item)\n';
    expect(names(text, 2)).toEqual(['total', 'near', 'item', 'above', 'below', 'far']);
    expect(around(text, 2)[1]).toEqual({ name: 'near', line: 2, character: 14 });
  });

  it('leave out keywords, single characters, comments and imports', () => {
    const text = [
      "import { imported } from './other';",
      '// commented words',
      'export async function run(a: string) { return this.$value }',
      '# hash',
      '  * star',
    ].join('\n');
    expect(names(text, 2)).toEqual(['run', '$value']);
  });

  it.each([
    ['a pointer is written through', '*total = price(item);', ['total', 'price', 'item']],
    ['a member is private', '  #items = new Map<string, Item>();', ['items', 'Map', 'Item']],
    ['a private member is a method', '  #add(item: Item) {', ['add', 'item', 'Item']],
    ['a number goes down', '  --count;', ['count']],
    ['a dash begins a comment', '-- a table', []],
    ['a star ends one', ' */', []],
    ['a star stands by itself', ' *', []],
    ['a hash begins a directive', '#define LIMIT (value)', []],
    ['a hash begins an attribute', '#[derive(Debug)]', []],
  ])('are found or left out where %s', (_, line, expected) => {
    expect(names(line)).toEqual(expected);
  });

  it('reach some lines up, fewer down, and have a limit', () => {
    const lines = Array.from({ length: 101 }, (_, line) => `name${line}`);
    const sparse = (at: number) => lines.map((name, line) => (line === at ? name : '')).join('\n');
    expect([26, 25, 58, 59].map((at) => names(sparse(at), 50).length)).toEqual([1, 0, 1, 0]);
    expect(names(lines.join(' '), 0)).toEqual([]);
    expect(names(lines.slice(0, 40).join(' '), 0)).toHaveLength(16);
    expect(names('', 5)).toEqual([]);
  });
});

describe('the signature in a hover', () => {
  it.each([
    ['a function', '```typescript\nfunction f(a: string): void\n```\ndoc', 'function f(a: string): void'],
    ['what an alias stands for', '\n```ts\n(alias) const a: Map<string, B>\nimport a\n```', 'const a: Map<string, B>'],
    ['the first block', 'text\n```py\n(variable) x: int\n```\n```\nother\n```', 'x: int'],
    ['none without code', 'only text', null],
    ['none of an open block', '```ts\nconst a', null],
    ['none of an empty block', '```\n\n```', null],
    ['none that is too long', `\`\`\`ts\nconst a: ${'x'.repeat(400)}\n\`\`\``, null],
    ['none that is too long, whatever stands before it', `\`\`\`ts\n(alias) ${'x'.repeat(400)}\n\`\`\``, null],
    ['one as long as it may be', `\`\`\`ts\n(alias) ${'x'.repeat(300)}\n\`\`\``, 'x'.repeat(300)],
  ])('%s', (_, markdown, signature) => {
    expect(signatureIn(markdown)).toBe(signature);
  });
});
