import { expect, it } from 'vitest';
import { TextDocument } from 'vscode-languageserver-textdocument';
import type { CompletionRequest } from '../../../../../server/src/completion/request/completion-request.js';
import type { ModelFacts } from '../../../../../server/src/engine/port/model-facts.js';
import { ShownDocuments } from '../../../../../server/src/lsp/documents/shown-documents.js';
import { requestAt } from '../../../../../server/src/lsp/documents/snapshot.js';
import { Emitter } from '../../../../../server/src/util/emitter.js';
import { FACTS } from '../../scripted-engine.js';

const [A, B] = ['file:///a.ts', 'file:///b.ts'].map((uri) => TextDocument.create(uri, 'typescript', 1, 'one\ntwo'));

/** A client with documents; `seen` lists where the first key was prepared. */
function client() {
  const seen: (readonly [uri: string, offset: number])[] = [];
  const opened = new Emitter<{ document: TextDocument }>();
  const changed = new Emitter<void>();
  const engine = { facts: null as ModelFacts | null, onDidChange: changed.event };
  const open = new Map<string, TextDocument>();
  const documents = {
    get: (uri: string) => open.get(uri),
    onDidOpen: (listener: (event: { document: TextDocument }) => void) => {
      opened.event(listener);
      return { dispose: () => undefined };
    },
  } as unknown as ConstructorParameters<typeof ShownDocuments>[0];
  const service = { documentShown: ({ document, offset }: CompletionRequest) => seen.push([document.uri, offset]) };
  const shown = new ShownDocuments(documents, { uris: [] }, service, engine);
  return {
    seen,
    shown,
    open: (document: TextDocument) => {
      open.set(document.uri, document);
      opened.fire({ document });
    },
    cursor: (document: TextDocument, offset: number) => shown.cursorAt(requestAt(document, offset, 'prepared', [])),
    load: (facts: ModelFacts | null) => {
      engine.facts = facts;
      changed.fire();
    },
  };
}

it('a document that opens is shown, in an editor that reports no cursor', () => {
  const { seen, open } = client();
  open(A!);
  open(B!);
  expect(seen).toEqual([
    [A!.uri, 0],
    [B!.uri, 0],
  ]);
});

it('our extension reports the cursor, and opens documents that nobody sees', () => {
  const { seen, shown, open, cursor } = client();
  shown.clientReportsCursor();
  open(A!);
  open(B!);
  expect(seen).toEqual([]);
  cursor(A!, 4);
  cursor(A!, 5);
  cursor(B!, 0);
  cursor(A!, 5);
  expect(seen).toEqual([
    [A!.uri, 4],
    [B!.uri, 0],
    [A!.uri, 5],
  ]);
});

it('a model that gets ready later prepares the place that the user is at', () => {
  const { seen, open, cursor, load } = client();
  load(FACTS);
  load(null);
  expect(seen).toEqual([]);
  open(A!);
  cursor(A!, 5);
  load(FACTS);
  load(FACTS);
  expect(seen).toEqual([
    [A!.uri, 0],
    [A!.uri, 5],
  ]);
});

it('not in a document that was edited or closed since', () => {
  const { seen, open, cursor, load } = client();
  const edited = TextDocument.create('file:///c.ts', 'typescript', 1, 'one');
  open(edited);
  TextDocument.update(edited, [{ text: 'two' }], 2);
  load(FACTS);
  expect(seen).toHaveLength(1);
  cursor(TextDocument.create('file:///closed.ts', 'typescript', 1, ''), 0);
  load(null);
  load({ ...FACTS });
  expect(seen).toHaveLength(2);
});
