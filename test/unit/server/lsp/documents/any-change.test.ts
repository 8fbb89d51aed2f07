import fc from 'fast-check';
import { describe, expect } from 'vitest';
import type { Connection, DidChangeTextDocumentParams, DidOpenTextDocumentParams, Range } from 'vscode-languageserver';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { followDocuments } from '../../../../../server/src/lsp/documents/documents.js';
import { damaged } from '../../../../support/faults/hostile-json.js';
import { property } from '../../../../support/faults/property.js';
import { SILENT } from '../../scripted-engine.js';

const URI = 'file:///work/a.ts';

/** The documents of a client that speaks through these functions, and the text that listeners were told of. */
function follow() {
  const handlers = new Map<string, (params: unknown) => void>();
  const keep = (name: string) => (handler: (params: never) => void) => {
    handlers.set(name, handler as (params: unknown) => void);
    return { dispose: () => undefined };
  };
  const names = ['Open', 'Change', 'Close', 'Save'].map((name) => `onDid${name}TextDocument`);
  const all = [...names, 'onWillSaveTextDocument', 'onWillSaveTextDocumentWaitUntil'];
  const connection = Object.fromEntries(all.map((name) => [name, keep(name)])) as unknown as Connection;
  let told = '';
  const listener = {
    opened: (document: TextDocument) => {
      told = document.getText();
    },
    edited: (_document: TextDocument, changes: readonly { offset: number; removed: string; inserted: string }[]) => {
      for (const { offset, removed, inserted } of changes) {
        expect(told.slice(offset, offset + removed.length)).toBe(removed);
        told = told.slice(0, offset) + inserted + told.slice(offset + removed.length);
      }
    },
  };
  const documents = followDocuments(connection, [listener], SILENT);
  return {
    open: (params: unknown) => handlers.get('onDidOpenTextDocument')?.(params),
    change: (params: unknown) => handlers.get('onDidChangeTextDocument')?.(params),
    text: () => documents.get(URI)?.getText() ?? null,
    told: () => told,
  };
}

const text = fc
  .array(fc.constantFrom('a', 'bc', '\n', '\r', '\r\n', '\0', '\ud83d\ude00', '\ud800', '\u2028', 'é'))
  .map((parts) => parts.join(''));
const place = fc.record({ line: fc.nat(12), character: fc.oneof(fc.nat(8), fc.constant(2 ** 31)) });
const change = fc.oneof(
  { weight: 9, arbitrary: fc.record({ range: fc.record({ start: place, end: place }), text }) },
  { weight: 1, arbitrary: fc.record({ text }) },
);

/** By a document of its own for each change: the library keeps line offsets from one to the next. */
function changed(before: string, { range, text: inserted }: { range?: Range; text: string }): string {
  if (range === undefined) return inserted;
  const document = TextDocument.create(URI, 'typescript', 1, before);
  const [start = 0, end = 0] = [document.offsetAt(range.start), document.offsetAt(range.end)].sort((a, b) => a - b);
  return before.slice(0, start) + inserted + before.slice(end);
}

describe('whatever changes a client sends', () => {
  property(
    'listeners are told what became of the text',
    fc.record({ before: text, changes: fc.array(fc.array(change, { minLength: 1, maxLength: 4 }), { maxLength: 6 }) }),
    ({ before, changes }) => {
      const client = follow();
      client.open({ textDocument: { uri: URI, languageId: 'typescript', version: 1, text: before } });
      let expected = before;
      for (const contentChanges of changes) {
        client.change({ textDocument: { uri: URI, version: 2 }, contentChanges });
        for (const each of contentChanges) expected = changed(expected, each);
        expect(client.text()).toBe(expected);
        expect(client.told()).toBe(expected);
      }
    },
    { runs: 80 },
  );

  const opening: DidOpenTextDocumentParams = {
    textDocument: { uri: URI, languageId: 'typescript', version: 1, text: 'const a = 1;\n' },
  };
  const range = { start: { line: 0, character: 2 }, end: { line: 0, character: 4 } };
  const changing: DidChangeTextDocumentParams = {
    textDocument: { uri: URI, version: 2 },
    contentChanges: [{ range, text: 'b' }, { text: 'let a;\n' }],
  };
  property(
    'malformed ones are ignored as a whole',
    fc.record({ open: damaged(opening as never), change: damaged(changing as never) }),
    (sent) => {
      const client = follow();
      client.open(sent.open);
      const before = client.text();
      expect(before === null || typeof before === 'string').toBe(true);
      client.change(sent.change);
      if (before !== null) expect(client.told()).toBe(client.text());
    },
    { runs: 80 },
  );
});
