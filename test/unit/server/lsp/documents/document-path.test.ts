import { expect, it } from 'vitest';
import { documentPath } from '../../../../../server/src/lsp/documents/document-path.js';

it.each([
  ['file:///work/src/a%20b.ts', ['file:///work'], 'src/a b.ts'],
  ['file:///work/src/a.ts', ['file:///work/'], 'src/a.ts'],
  ['file:///work/inner/a.ts', ['file:///work', 'file:///work/inner'], 'a.ts'],
  ['file:///workshop/a.ts', ['file:///work'], 'a.ts'],
  ['file:///c%3A/work/src/a.ts', ['file:///c%3A/work'], 'src/a.ts'],
  ['vscode-remote://ssh-remote%2Bhost/work/src/a.ts', ['vscode-remote://ssh-remote%2Bhost/work'], 'src/a.ts'],
  ['file:///elsewhere/a.ts', [], 'a.ts'],
  ['file:///work/100%/a.ts', ['file:///work'], '100%/a.ts'],
  ['file:///work/a%0Ab.ts', ['file:///work'], 'a b.ts'],
  ['untitled:Untitled-1', ['file:///work'], null],
  ['vscode-notebook-cell:/work/a.ipynb#c1', ['file:///work'], null],
  ['no uri', [], null],
  ['', [], null],
])('names %s in %j %s', (uri, folders, expected) => {
  expect(documentPath(uri, folders)).toBe(expected);
});
