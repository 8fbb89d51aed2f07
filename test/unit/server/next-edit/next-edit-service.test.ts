import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { DEFAULT_SETTINGS, type InklingSettings } from '../../../../server/protocol/index.js';
import { EngineError } from '../../../../server/src/engine/engine-error.js';
import type { ModelEdits } from '../../../../server/src/next-edit/model-edits.js';
import { NextEditService, type PredictedEdit } from '../../../../server/src/next-edit/next-edit-service.js';
import { SILENT } from '../scripted-engine.js';
import { EditedText } from './editor.js';

const CODE = `const itemCount = 3;
print(itemCount);
print(itemCount + 1);
`;
/** Longer than any pause that the service waits for. */
const LONG_MS = 10_000;

let settings: InklingSettings;
let documents: EditedText[];
let service: NextEditService;
let announced: (PredictedEdit | null)[];
let counts: string[];
/** What the model finds where nothing is repeated. */
let find: ModelEdits['find'];

beforeEach(() => {
  find = () => Promise.resolve({ kind: 'none', reason: 'unchanged' });
  vi.useFakeTimers();
  settings = DEFAULT_SETTINGS;
  documents = [new EditedText('file:///a.ts', CODE)];
  announced = [];
  counts = [];
  service = new NextEditService(
    () => documents,
    () => settings,
    { count: (what) => counts.push(what) },
    { find: (...question) => find(...question) },
    SILENT,
  );
  service.onDidPredict((edit) => announced.push(edit));
});

afterEach(() => {
  service.dispose();
  vi.useRealTimers();
});

function edit(document: EditedText, wanted: string, by: string, occurrence = 0): void {
  const change = document.replace(wanted, by, occurrence);
  service.documentEdited(document.uri, document.version, [change]);
}

function rename(): EditedText {
  const [document] = documents;
  if (document === undefined) throw new Error('no document');
  edit(document, 'itemCount', 'total');
  return document;
}

const latest = (): PredictedEdit => {
  const edit = announced.at(-1);
  if (edit === undefined || edit === null) throw new Error('nothing is announced');
  return edit;
};

function applyLatest(): void {
  const { document, start, end, newText } = latest();
  const edited = documents.find(({ uri }) => uri === document.uri);
  if (edited === undefined) throw new Error('no such document');
  const change = edited.change({ offset: start, removed: edited.getText().slice(start, end), inserted: newText });
  service.documentEdited(edited.uri, edited.version, [change]);
}

describe('an edit that is finished', () => {
  it('makes the next one due, of the same version, with how many follow', () => {
    const document = rename();
    vi.advanceTimersByTime(LONG_MS);
    const { start, end, newText, more, version } = latest();
    expect(document.getText().slice(start, end)).toBe('itemCount');
    expect({ newText, more, version }).toEqual({ newText: 'total', more: 1, version: document.version });
  });

  it('is waited for: every key begins the pause again, and withdraws what was announced', () => {
    const document = rename();
    vi.advanceTimersByTime(100);
    edit(document, 'total', 'totals');
    vi.advanceTimersByTime(250);
    expect(announced).toEqual([]);
    vi.advanceTimersByTime(LONG_MS);
    expect(latest().newText).toBe('totals');
    edit(document, 'totals', 'sum');
    expect(announced.at(-1)).toBeNull();
  });

  it('leads through all places without a pause, and ends', () => {
    const document = rename();
    vi.advanceTimersByTime(LONG_MS);
    applyLatest();
    vi.advanceTimersByTime(1);
    applyLatest();
    vi.advanceTimersByTime(LONG_MS);
    expect(announced.at(-1)).toBeNull();
    expect(document.getText()).toBe(CODE.replaceAll('itemCount', 'total'));
  });

  it('goes down from the cursor first', () => {
    const document = rename();
    const last = document.getText().lastIndexOf('itemCount');
    service.cursorMoved(document.uri, last - 1);
    vi.advanceTimersByTime(LONG_MS);
    expect(latest().start).toBe(last);
  });

  it('reaches other open documents', () => {
    const other = new EditedText('file:///b.ts', 'show(itemCount);\n');
    documents.push(other);
    rename();
    vi.advanceTimersByTime(LONG_MS);
    applyLatest();
    vi.advanceTimersByTime(1);
    applyLatest();
    vi.advanceTimersByTime(1);
    expect(latest().document.uri).toBe(other.uri);
  });
});

describe('a change of a document where the user is not', () => {
  let generated: EditedText;
  const grow = () => edit(generated, 'started', 'started\nand goes on');

  beforeEach(() => {
    generated = new EditedText('file:///build.ts', 'started');
    documents.push(generated);
    service.cursorMoved('file:///a.ts', 0);
  });

  it('withdraws nothing', () => {
    rename();
    vi.advanceTimersByTime(LONG_MS);
    grow();
    vi.advanceTimersByTime(LONG_MS);
    expect(announced).toHaveLength(1);
    applyLatest();
    vi.advanceTimersByTime(1);
    expect(latest().document.uri).toBe('file:///a.ts');
  });

  it('neither delays the next edit nor leads away from it', () => {
    const document = rename();
    service.cursorMoved(document.uri, document.getText().lastIndexOf('itemCount') - 1);
    vi.advanceTimersByTime(250);
    grow();
    vi.advanceTimersByTime(100);
    expect(latest().start).toBe(document.getText().lastIndexOf('itemCount'));
  });

  it('does not cut the edit in two that the user makes', async () => {
    const document = documents[0] as EditedText;
    let edits: readonly unknown[] = [];
    find = (_document, _others, recent) => {
      edits = recent;
      return Promise.resolve({ kind: 'none', reason: 'unchanged' });
    };
    edit(document, '3', '');
    grow();
    edit(document, '= ', '= 4');
    await vi.advanceTimersByTimeAsync(LONG_MS);
    expect(edits).toMatchObject([
      { uri: generated.uri },
      { uri: document.uri, updated: CODE.replace('3', '4').trimEnd() },
    ]);
  });

  it('withdraws the edit that is announced there', () => {
    const other = new EditedText('file:///b.ts', 'show(itemCount);\n');
    documents = [documents[0] as EditedText, other];
    for (let round = 0; round < 3; round++) edit(documents[0] as EditedText, 'itemCount', 'total');
    vi.advanceTimersByTime(LONG_MS);
    expect(latest().document.uri).toBe(other.uri);
    edit(other, 'show', 'print');
    expect(announced.at(-1)).toBeNull();
  });

  it('is repeated where the user is, as of a rename in all files', () => {
    const other = new EditedText('file:///b.ts', 'show(itemCount);\n');
    documents.push(other);
    edit(other, 'itemCount', 'total');
    edit(documents[0] as EditedText, 'itemCount', 'total');
    vi.advanceTimersByTime(LONG_MS);
    expect(latest()).toMatchObject({ document: { uri: 'file:///a.ts' }, newText: 'total', more: 1 });
  });

  it.each([
    ['once the client says that the user is there', () => service.cursorMoved(generated.uri, 0)],
    ['once the document of the cursor is closed', () => service.documentClosed('file:///a.ts')],
  ])('counts %s', (_name, happens) => {
    rename();
    vi.advanceTimersByTime(LONG_MS);
    happens();
    grow();
    expect(announced.at(-1)).toBeNull();
  });

  it('counts behind an edit that was made there', () => {
    const other = new EditedText('file:///b.ts', 'show(itemCount);\n');
    documents = [documents[0] as EditedText, other];
    for (let round = 0; round < 3; round++) edit(documents[0] as EditedText, 'itemCount', 'total');
    vi.advanceTimersByTime(LONG_MS);
    applyLatest();
    edit(other, 'show', 'itemCount');
    vi.advanceTimersByTime(LONG_MS);
    expect(latest()).toMatchObject({ document: { uri: other.uri }, newText: 'total' });
  });
});

describe('nothing is due', () => {
  it('after an undo, whichever message comes first', () => {
    const document = rename();
    vi.advanceTimersByTime(LONG_MS);
    service.documentUndone(document.uri, document.version + 1);
    edit(document, 'total', 'itemCount');
    vi.advanceTimersByTime(LONG_MS);
    expect(announced.at(-1)).toBeNull();

    edit(document, 'itemCount', 'total');
    edit(document, 'total', 'itemCount');
    service.documentUndone(document.uri, document.version);
    vi.advanceTimersByTime(LONG_MS);
    expect(announced.at(-1)).toBeNull();
  });

  it('while it is off, or off for the language', () => {
    settings = { ...DEFAULT_SETTINGS, nextEditMode: 'off' };
    rename();
    vi.advanceTimersByTime(LONG_MS);
    settings = { ...DEFAULT_SETTINGS, languages: { typescript: false } };
    edit(documents[0] as EditedText, 'total', 'sum');
    vi.advanceTimersByTime(LONG_MS);
    expect(announced).toEqual([]);
  });

  it('in and after edits of files that may hold secrets', () => {
    const secret = new EditedText('file:///project/.env', 'const itemCount = 1;\nitemCount\n', 'plaintext');
    settings = { ...DEFAULT_SETTINGS, languages: {} };
    documents.unshift(secret);
    edit(secret, 'itemCount', 'total');
    vi.advanceTimersByTime(LONG_MS);
    expect(announced).toEqual([]);
    edit(documents[1] as EditedText, 'itemCount', 'total');
    vi.advanceTimersByTime(LONG_MS);
    expect(latest().document.uri).toBe('file:///a.ts');
  });

  it('in a document that closed', () => {
    const document = rename();
    vi.advanceTimersByTime(LONG_MS);
    documents = [];
    service.documentClosed(document.uri);
    expect(announced.at(-1)).toBeNull();
  });

  it('of a kind that was dismissed', () => {
    const document = rename();
    vi.advanceTimersByTime(LONG_MS);
    service.noteOutcome(latest().id, 'shown');
    service.noteOutcome(latest().id, 'dismissed');
    expect(announced.at(-1)).toBeNull();
    edit(document, 'print', 'log');
    vi.advanceTimersByTime(LONG_MS);
    expect(announced.filter((each) => each?.newText === 'total')).toHaveLength(1);
    expect(counts).toEqual(['nextEditsShown', 'nextEditsDismissed']);
  });
});

it('ignores outcomes of edits that it does not know', () => {
  rename();
  service.noteOutcome(99, 'dismissed');
  service.noteOutcome(99, 'shown');
  expect(counts).toEqual([]);
});

describe('where nothing is repeated', () => {
  const settled = () => vi.advanceTimersByTimeAsync(LONG_MS);

  function insert(): EditedText {
    const [document] = documents;
    if (document === undefined) throw new Error('no document');
    edit(document, 'const', '/** Counts. */\nconst');
    return document;
  }

  it('the model is asked, and what it finds is announced', async () => {
    const asked: unknown[] = [];
    find = (document, _others, edits) => {
      asked.push({ text: document.text, offset: document.offset, edits: edits.length });
      return Promise.resolve({ kind: 'edit', uri: 'file:///a.ts', start: 0, end: 3, newText: '/** All' });
    };
    const document = insert();
    await settled();
    const offset = '/** Counts. */\nconst'.length;
    expect(asked).toEqual([{ text: document.getText(), offset, edits: 1 }]);
    expect(latest()).toMatchObject({ start: 0, end: 3, newText: '/** All', reason: 'model', more: 0 });
    expect(service.decisions[0]).toMatchObject({ outcome: 'announced', reason: 'model', line: 0 });
  });

  it('what it finds in another open document is announced there, unless that has changed', async () => {
    const other = new EditedText('file:///b.ts', 'call(Counts);\n');
    documents.push(other);
    let answer: () => void = () => undefined;
    find = (_document, others) => {
      expect(others).toEqual([{ uri: other.uri, languageId: 'typescript', text: 'call(Counts);\n', offset: null }]);
      return new Promise((resolve) => {
        answer = () => resolve({ kind: 'edit', uri: other.uri, start: 5, end: 11, newText: 'All' });
      });
    };
    const document = insert();
    await settled();
    answer();
    await vi.advanceTimersByTimeAsync(1);
    expect(latest()).toMatchObject({ document: { uri: other.uri }, start: 5, end: 11, reason: 'model' });
    announced = [];
    edit(document, 'Counts', 'Counted');
    await settled();
    other.replace('call', 'make');
    answer();
    await vi.advanceTimersByTimeAsync(1);
    expect(announced.filter((each) => each !== null)).toEqual([]);
  });

  it('a key ends the question, and a late answer is not announced', async () => {
    let signal: AbortSignal | undefined;
    let answer: (found: Awaited<ReturnType<ModelEdits['find']>>) => void = () => undefined;
    find = (_document, _others, _edits, asked) => {
      signal ??= asked;
      return new Promise((resolve) => {
        answer = resolve;
      });
    };
    const document = insert();
    await settled();
    expect(signal?.aborted).toBe(false);
    edit(document, 'Counts', 'Counted');
    expect(signal?.aborted).toBe(true);
    answer({ kind: 'edit', uri: 'file:///a.ts', start: 0, end: 3, newText: 'x' });
    await vi.advanceTimersByTimeAsync(1);
    expect(announced).toEqual([]);
  });

  it('the model sees no edit whose place is unknown, since next edits were off for a while', async () => {
    let edits: readonly unknown[] = [];
    find = (_document, _others, recent) => {
      edits = recent;
      return Promise.resolve({ kind: 'none', reason: 'unchanged' });
    };
    const document = rename();
    settings = { ...DEFAULT_SETTINGS, nextEditMode: 'off' };
    edit(document, 'const', '/** The number of them. */\nexport const');
    settings = DEFAULT_SETTINGS;
    edit(document, 'print(', 'log(', 1);
    await settled();
    expect(edits).toMatchObject([{ updated: expect.stringContaining('log(') }]);
  });

  it('says why there is none', async () => {
    insert();
    await settled();
    expect(service.decisions).toMatchObject([{ outcome: 'nothing', reason: 'unchanged', line: 1 }]);
    expect(service.decisions[0]?.sentence).toMatch(/\.$/);
  });

  it('an edit that was dismissed is not announced again', async () => {
    find = () => Promise.resolve({ kind: 'edit', uri: 'file:///a.ts', start: 0, end: 3, newText: '/** All' });
    const document = insert();
    await settled();
    service.noteOutcome(latest().id, 'dismissed');
    edit(document, '3;', '4;');
    await settled();
    expect(announced.at(-1)).toBeNull();
    expect(service.decisions[0]).toMatchObject({ reason: 'dismissed' });
  });

  it('a failure of the engine is no error of the editor', async () => {
    find = () => Promise.reject(new EngineError('decodeFailed', 'broken'));
    insert();
    await settled();
    expect(service.decisions[0]).toMatchObject({ outcome: 'nothing', reason: 'engineError' });
  });
});
