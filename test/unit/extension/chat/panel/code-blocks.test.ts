import { beforeEach, expect, it, vi } from 'vitest';
import type { Attachment } from '../../../../../extension/src/chat/conversation/conversation.js';
import { CodeBlocks } from '../../../../../extension/src/chat/panel/code-blocks.js';

/** What VS Code would have: one document with one proposed change, whose comparison is the active tab. */
const editor = vi.hoisted(() => ({
  text: '',
  version: 1,
  /** Runs while the document is shown. */
  whileShown: (): void => undefined,
  compared: [] as unknown[],
  warnings: [] as string[],
  edits: 0,
  commands: new Map<string, () => Promise<void>>(),
}));

vi.mock('vscode', () => {
  class Uri {
    static from = ({ scheme, path, query = '' }: { scheme: string; path: string; query?: string }) =>
      new Uri(scheme, path, query);
    static parse = (text: string) => new Uri('file', text.replace('file://', ''), '');
    constructor(
      readonly scheme: string,
      readonly path: string,
      readonly query: string,
    ) {}
    toString = () => `${this.scheme}://${this.path}?${this.query}`;
  }
  class TabInputTextDiff {
    constructor(readonly modified: unknown) {}
  }
  const document = {
    uri: new Uri('file', '/a.ts', ''),
    get version() {
      return editor.version;
    },
    getText: () => editor.text,
  };
  const shown = {
    document,
    edit: async () => {
      editor.edits += 1;
      editor.version += 1;
      return true;
    },
  };
  return {
    Disposable: { from: () => undefined },
    Range: class {},
    TabInputTextDiff,
    Uri,
    commands: {
      registerCommand: (id: string, run: () => Promise<void>) => editor.commands.set(id, run),
      executeCommand: async (...call: unknown[]) => void editor.compared.push(call[2]),
    },
    window: {
      visibleTextEditors: [],
      visibleNotebookEditors: [],
      tabGroups: {
        get activeTabGroup() {
          return { activeTab: { input: new TabInputTextDiff(editor.compared.at(-1)) } };
        },
        close: async () => true,
      },
      showTextDocument: async () => {
        editor.whileShown();
        return shown;
      },
      showWarningMessage: async (text: string) => void editor.warnings.push(text),
    },
    workspace: {
      asRelativePath: () => 'a.ts',
      notebookDocuments: [],
      onDidCloseTextDocument: () => undefined,
      openTextDocument: async () => document,
      registerTextDocumentContentProvider: () => undefined,
    },
  };
});

const SHOWN: Attachment = { id: 'a', kind: 'file', label: 'a.ts', uri: 'file:///a.ts', languageId: '', text: '' };

beforeEach(() => {
  Object.assign(editor, { compared: [], warnings: [], edits: 0 });
  editor.text = 'function one() {\n  return 1;\n}\n\nfunction two() {\n  return 2;\n}\n';
});

it.each([
  ['is applied', false],
  ['is not applied to a document that changes while it is shown', true],
])('a proposed change %s', async (_name, changes) => {
  const blocks = new CodeBlocks();
  blocks.register();
  expect(await blocks.run('apply', 'function one() {\n  return 3;\n}\n', 'ts', [SHOWN])).toBeNull();
  expect(editor.compared).toHaveLength(1);
  editor.whileShown = () => {
    if (changes) editor.version += 1;
  };
  await editor.commands.get('inkling.applyProposal')?.();
  expect(editor.edits).toBe(changes ? 0 : 1);
  expect(editor.warnings.map((text) => text.includes('has changed'))).toEqual(changes ? [true] : []);
});
