import { expect, test } from 'vitest';
import { listSources, readSource } from '../support/source-tree.js';

/** VS Code makes links of `[text](command:id)` in what these show, and a link in a notification runs its command. */
const LINKED_TEXT =
  /\b(?:show(?:Information|Warning|Error)Message|withProgress|setStatusBarMessage|showInputBox|createInputBox)\b/;
/** Where a text becomes Markdown. */
const MARKDOWN = /\bMarkdownString\b|\bisTrusted = /;

const sources = listSources('extension/src', /\.ts$/);

function usersOf(pattern: RegExp): readonly string[] {
  return sources.filter((file) => pattern.test(readSource(file)));
}

test('only notify.ts shows texts in which VS Code looks for links, since it makes them plain', () => {
  expect(usersOf(LINKED_TEXT)).toEqual(['extension/src/texts/notify.ts']);
});

test('only the status bar writes Markdown, and edits as code that is not trusted', () => {
  const views = ['extension/src/inline-edit/edit-view.ts', 'extension/src/next-edit/next-edit-view.ts'];
  expect([...usersOf(MARKDOWN)].sort()).toEqual([...views, 'extension/src/status/status-bar.ts']);
  for (const source of views.map(readSource)) {
    expect(source.match(/new MarkdownString\(.*\)/g)).toEqual(['new MarkdownString(diffMarkdown(oldLines, newLines))']);
    expect(source).not.toMatch(/isTrusted|supportHtml|supportThemeIcons/);
  }
});

test('only plain-text.ts makes command links', () => {
  expect(usersOf(/\]\(command:/)).toEqual(['extension/src/texts/plain-text.ts']);
});
