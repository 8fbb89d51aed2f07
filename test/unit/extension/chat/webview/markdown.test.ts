import { expect, it } from 'vitest';
import { markdownBlocks } from '../../../../../extension/src/chat/webview/markdown.js';

it.each([
  ['line feeds', '\n'],
  ['carriage returns', '\r'],
  ['both', '\r\n'],
])('cuts an answer into its blocks, and loses nothing of it: %s', (_name, end) => {
  const text = ['', '', '', 'One', 'line', '', '- two', '- three', '', '```ts', 'four', '', 'five'].join(end);
  expect(markdownBlocks(text).map((block) => block.trimEnd())).toEqual([
    'One\nline',
    '- two\n- three',
    '```ts\nfour\n\nfive',
  ]);
});
