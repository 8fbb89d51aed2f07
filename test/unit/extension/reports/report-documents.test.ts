import { beforeEach, expect, it, vi } from 'vitest';
import type { Uri } from 'vscode';
import { ReportDocuments } from '../../../../extension/src/reports/report-documents.js';

/** VS Code's open tabs, and the addresses of the documents that were opened, the last one last. */
const editor = vi.hoisted(() => ({ tabs: [] as { readonly input: unknown }[], opened: [] as Uri[] }));

vi.mock('vscode', async () => {
  const { vscode } = await import('../../../support/editor/fake-editor.js');
  class TabInputCustom {
    readonly uri: Uri;
    constructor(uri: Uri) {
      this.uri = uri;
    }
  }
  const openWith = async (_command: string, uri: Uri): Promise<void> => {
    editor.opened.push(uri);
    const isOpen = editor.tabs.some(
      ({ input }) => input instanceof TabInputCustom && String(input.uri) === String(uri),
    );
    if (!isOpen) editor.tabs.push({ input: new TabInputCustom(uri) });
  };
  return {
    ...vscode,
    ...{ TabInputCustom, TabInputText: class {}, ViewColumn: {} },
    commands: { executeCommand: openWith },
    extensions: { getExtension: () => ({}) },
    window: { tabGroups: { all: [{ tabs: editor.tabs }], close: async () => true } },
  };
});

beforeEach(() => {
  vi.useFakeTimers();
  editor.tabs.splice(0);
  editor.opened.splice(0);
  return () => vi.useRealTimers();
});

it('a report that is made again replaces the one in its tab', async () => {
  const documents = new ReportDocuments();
  await documents.show('Statistics', 'one');
  vi.advanceTimersByTime(1_000);
  await documents.show('Statistics', 'two');
  expect(editor.opened.map(String)).toEqual([String(editor.opened[0]), String(editor.opened[0])]);
  expect(documents.provideTextDocumentContent(editor.opened[1]!)).toBe('two');
  expect(editor.tabs).toHaveLength(1);
});

it('a report whose tab was closed is another document: VS Code shows the old text of one that was reverted', async () => {
  const documents = new ReportDocuments();
  await documents.show('Statistics', 'one');
  editor.tabs.splice(0);
  vi.advanceTimersByTime(1_000);
  await documents.show('Statistics', 'two');
  expect(String(editor.opened[1])).not.toBe(String(editor.opened[0]));
  expect(documents.provideTextDocumentContent(editor.opened[1]!)).toBe('two');
});
