import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { Connection, DidChangeTextDocumentParams, DidOpenTextDocumentParams, Range } from 'vscode-languageserver';
import { TextDocument } from 'vscode-languageserver-textdocument';
import type { DocumentChange } from '../../../../../server/src/completion/cursor/edit-kind.js';
import { followDocuments } from '../../../../../server/src/lsp/documents/documents.js';
import { damaged } from '../../../../support/faults/hostile-json.js';
import { property } from '../../../../support/faults/property.js';
import { SILENT } from '../../scripted-engine.js';

const URI = 'file:///work/a.ts';

/** The documents of a client that speaks through these functions, and what listeners were told. */
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
  let last: readonly DocumentChange[] = [];
  const listener = {
    opened: (document: TextDocument) => {
      told = document.getText();
    },
    edited: (_document: TextDocument, changes: readonly DocumentChange[]) => {
      last = changes;
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
    last: () => last,
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

it.each([
  ['a key', 'f(a);\n', 'f(ab);\n', { offset: 3, removed: '', inserted: 'b' }],
  ['enter', 'a\r\nb\r\n', 'a\r\n\r\nb\r\n', { offset: 3, removed: '', inserted: '\r\n' }],
  ['a line deleted', 'a\r\nb\r\nc', 'a\r\nc', { offset: 3, removed: 'b\r\n', inserted: '' }],
  [
    'a character of two units',
    'a\u{1F600}b',
    'a\u{1F601}b',
    { offset: 1, removed: '\u{1F600}', inserted: '\u{1F601}' },
  ],
  ['line ends switched', 'a\r\nb\r\n', 'a\nb\n', { offset: 0, removed: 'a\r\nb\r\n', inserted: 'a\nb\n' }],
  ['nothing', 'a\n', 'a\n', null],
])('a whole document is told as what differs: %s', (_name, before, after, change) => {
  const client = follow();
  client.open({ textDocument: { uri: URI, languageId: 'typescript', version: 1, text: before } });
  client.change({ textDocument: { uri: URI, version: 2 }, contentChanges: [{ text: after }] });
  expect(client.last()).toEqual(change === null ? [] : [change]);
  expect(client.text()).toBe(after);
});

/** As an editor tells of a formatter or *Replace all*: the last change in the document comes first. */
const fromTheEnd = fc
  .record({
    before: text.map((some) => some.repeat(8)),
    changes: fc.array(fc.record({ ahead: fc.nat(3), length: fc.nat(2), text }), { minLength: 16, maxLength: 30 }),
    other: fc.option(fc.record({ index: fc.nat(29), range: fc.record({ start: place, end: place }) }), { freq: 3 }),
  })
  .map(({ before, changes, other }) => {
    const document = TextDocument.create(URI, 'typescript', 1, before);
    let offset = 0;
    const placed = changes.map(({ ahead, length, text: inserted }) => {
      const [start, end] = [document.positionAt(offset + ahead), document.positionAt(offset + ahead + length)];
      offset += ahead + length;
      return { range: { start, end }, text: inserted };
    });
    const contentChanges = placed.reverse();
    const changedOne = other === null ? undefined : contentChanges[other.index];
    if (other !== null && changedOne !== undefined) changedOne.range = other.range;
    return { before, contentChanges };
  });

/** As Emacs and Helix tell of them: each change moves the next. */
const fromTheStart = fc
  .record({
    before: text.map((some) => some.repeat(8)),
    changes: fc.array(fc.record({ ahead: fc.nat(3), length: fc.nat(2), text }), { minLength: 16, maxLength: 30 }),
    other: fc.option(fc.record({ index: fc.nat(29), range: fc.record({ start: place, end: place }) }), { freq: 3 }),
  })
  .map(({ before, changes, other }) => {
    let [now, offset] = [before, 0];
    const contentChanges = changes.map(({ ahead, length, text: inserted }, index) => {
      const document = TextDocument.create(URI, 'typescript', 1, now);
      const [start, end] = [document.positionAt(offset + ahead), document.positionAt(offset + ahead + length)];
      const change = { range: other?.index === index ? other.range : { start, end }, text: inserted };
      now = changed(now, change);
      offset += ahead + inserted.length;
      return change;
    });
    return { before, contentChanges };
  });

const ONE_STEP = [
  ['the end of a document to its start', (index: number) => ({ line: 999 - index, character: 4 }), 'a'],
  ['its start to its end', (index: number) => ({ line: index, character: 4 }), 'a'],
  ['key to key', (index: number) => ({ line: 0, character: index }), null],
] as const;

it.each(ONE_STEP)('many changes from %s are made in one step', (_name, at, replaced) => {
  const update = vi.spyOn(TextDocument, 'update');
  const client = follow();
  const before = 'let a = 1;\r\n'.repeat(1_000);
  client.open({ textDocument: { uri: URI, languageId: 'typescript', version: 1, text: before } });
  const contentChanges = Array.from({ length: 1_000 }, (_, index) => {
    const { line, character } = at(index);
    const length = replaced?.length ?? 0;
    return { range: { start: at(index), end: { line, character: character + length } }, text: replaced ? 'name' : 'n' };
  });
  client.change({ textDocument: { uri: URI, version: 2 }, contentChanges });
  expect(client.text()).toBe(replaced ? before.replaceAll(replaced, 'name') : 'n'.repeat(1_000) + before);
  expect(client.told()).toBe(client.text());
  expect(update).toHaveBeenCalledTimes(1);
  update.mockRestore();
});

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

  property(
    'listeners are told of many changes at once, too',
    fc.oneof(fromTheEnd, fromTheStart),
    ({ before, contentChanges }) => {
      const client = follow();
      client.open({ textDocument: { uri: URI, languageId: 'typescript', version: 1, text: before } });
      client.change({ textDocument: { uri: URI, version: 2 }, contentChanges });
      expect(client.text()).toBe(contentChanges.reduce(changed, before));
      expect(client.told()).toBe(client.text());
    },
    { runs: 160 },
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
