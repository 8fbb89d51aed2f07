import { expect, it } from 'vitest';
import { blockHtml, markdownBlocks } from '../../../../../extension/src/chat/webview/markdown.js';

it.each([
  ['line feeds', '\n'],
  ['carriage returns', '\r'],
  ['both', '\r\n'],
])('cuts an answer into its blocks, and loses nothing of it: %s', (_name, end) => {
  const text = ['', '', '', 'One', 'line', '', '- two', '- three', '', '```ts', 'four', '', 'five'].join(end);
  expect(markdownBlocks(text).blocks.map(({ source }) => source.trimEnd())).toEqual([
    'One\nline',
    '- two\n- three',
    '```ts\nfour\n\nfive',
  ]);
});

it('follows links to what another block defines, and creates a block again when its links change', () => {
  const html = (text: string) => {
    const { blocks, definitions } = markdownBlocks(text);
    return blocks.map((block) => blockHtml(block, definitions).trim());
  };
  const begun = 'See [the docs][1].\n\nMore, [here](https://other.org/).\n\n```js\nlist[1]\n```\n\n';
  const whole = `${begun}[1]: https://example.org/a\n`;
  expect(html(begun)[0]).toBe('<p>See [the docs][1].</p>');
  expect(html(whole)[0]).toBe('<p>See <a href="https://example.org/a">the docs</a>.</p>');
  const changed = markdownBlocks(whole).blocks.map((block, index) => {
    const before = markdownBlocks(begun).blocks[index];
    return block.source.trim() !== before?.source.trim() || block.targets !== before.targets;
  });
  // The last one has the definition.
  expect(changed).toEqual([true, false, true]);
});

it.each([
  'javascript:alert(1)',
  'command:workbench.action.quit',
  'file:///etc/passwd',
  'vscode://x/y',
  'data:text/html,x',
])('follows no link to %s, wherever it is defined', (address) => {
  const { blocks, definitions } = markdownBlocks(`[a][1] [b](${address})\n\nc\n\n[1]: ${address}\n`);
  expect(blocks.map((block) => blockHtml(block, definitions)).join('')).not.toContain('href');
});
