import { beforeEach, describe, expect, it, vi } from 'vitest';
import { DEFAULT_SETTINGS } from '../../../../server/protocol/index.js';
import { EngineError } from '../../../../server/src/engine/port/engine-error.js';
import type { ModelEdits } from '../../../../server/src/next-edit/model-edits.js';
import { EditedText } from './editor.js';
import { CODE, type NextEditsUnderTest, nextEditsInEachTest } from './next-edits-under-test.js';

let next: NextEditsUnderTest;
nextEditsInEachTest((made) => {
  next = made;
});

describe('an edit that is finished', () => {
  it('makes the next one due, of the same version, with how many follow', async () => {
    const document = next.rename();
    await next.settle();
    const { start, end, newText, more, version } = next.latest;
    expect(document.getText().slice(start, end)).toBe('itemCount');
    expect({ newText, more, version }).toEqual({ newText: 'total', more: 1, version: document.version });
  });

  it('is waited for: every key begins the pause again, and withdraws what was announced', async () => {
    const document = next.rename();
    await vi.advanceTimersByTimeAsync(100);
    next.edit(document, 'total', 'totals');
    await vi.advanceTimersByTimeAsync(250);
    expect(next.announced).toEqual([]);
    await next.settle();
    expect(next.latest.newText).toBe('totals');
    next.edit(document, 'totals', 'sum');
    expect(next.announced.at(-1)).toBeNull();
  });

  it('leads through all places without a pause, and ends', async () => {
    const document = next.rename();
    await next.settle();
    next.applyLatest();
    await next.soon();
    next.applyLatest();
    await next.settle();
    expect(next.announced.at(-1)).toBeNull();
    expect(document.getText()).toBe(CODE.replaceAll('itemCount', 'total'));
  });

  it('goes down from the cursor first', async () => {
    const document = next.rename();
    const last = document.getText().lastIndexOf('itemCount');
    next.service.cursorMoved(document.uri, last - 1);
    await next.settle();
    expect(next.latest.start).toBe(last);
  });

  it('reaches other open documents', async () => {
    const other = new EditedText('file:///b.ts', 'show(itemCount);\n');
    next.documents.push(other);
    next.rename();
    await next.settle();
    next.applyLatest();
    await next.soon();
    next.applyLatest();
    await next.soon();
    expect(next.latest.document.uri).toBe(other.uri);
  });
});

describe('a change of a document where the user is not', () => {
  let generated: EditedText;
  const grow = () => next.edit(generated, 'started', 'started\nand goes on');

  beforeEach(() => {
    generated = new EditedText('file:///build.ts', 'started');
    next.documents.push(generated);
    next.service.cursorMoved('file:///a.ts', 0);
  });

  it('withdraws nothing', async () => {
    next.rename();
    await next.settle();
    grow();
    await next.settle();
    expect(next.announced).toHaveLength(1);
    next.applyLatest();
    await next.soon();
    expect(next.latest.document.uri).toBe('file:///a.ts');
  });

  it('neither delays the next edit nor leads away from it', async () => {
    const document = next.rename();
    next.service.cursorMoved(document.uri, document.getText().lastIndexOf('itemCount') - 1);
    await vi.advanceTimersByTimeAsync(250);
    grow();
    await vi.advanceTimersByTimeAsync(100);
    expect(next.latest.start).toBe(document.getText().lastIndexOf('itemCount'));
  });

  it('does not cut the edit in two that the user makes', async () => {
    const document = next.own;
    let edits: readonly unknown[] = [];
    next.find = (_document, _others, recent) => {
      edits = recent;
      return Promise.resolve({ kind: 'none', reason: 'unchanged' });
    };
    next.edit(document, '3', '');
    grow();
    next.edit(document, '= ', '= 4');
    await next.settle();
    expect(edits).toMatchObject([
      { uri: generated.uri },
      { uri: document.uri, updated: CODE.replace('3', '4').trimEnd() },
    ]);
  });

  describe('with an edit that is due there', () => {
    let other: EditedText;

    beforeEach(async () => {
      other = new EditedText('file:///b.ts', 'show(itemCount);\n');
      next.documents = [next.own, other, new EditedText('file:///c.ts', 'log(itemCount);\n')];
      for (const document of next.documents.slice(1).toReversed()) next.see(document);
      for (let round = 0; round < 3; round++) next.edit(next.own, 'itemCount', 'total');
    });

    it('withdraws it, and announces it once more where it is then', async () => {
      await next.settle();
      expect(next.latest.document.uri).toBe(other.uri);
      next.edit(other, 'show', 'print');
      expect(next.announced.at(-1)).toBeNull();
      await next.settle();
      expect(next.latest).toMatchObject({ document: other, version: other.version, start: 'print('.length });
    });

    it('does not end the search that found it', async () => {
      next.admitted = () => next.edit(other, 'show', 'print');
      await next.settle();
      expect(next.latest).toMatchObject({ document: other, version: other.version, start: 'print('.length });
    });

    it.each(['while it is looked for', 'once it is announced'])(
      'leads to the next file where it closes %s',
      async (when) => {
        const close = () => {
          next.documents = next.documents.filter((each) => each !== other);
          next.service.documentClosed(other.uri);
        };
        if (when === 'while it is looked for') next.admitted = close;
        await next.settle();
        if (when === 'once it is announced') close();
        await next.settle();
        expect(next.latest.document.uri).toBe('file:///c.ts');
      },
    );
  });

  it('is repeated where the user is, as of a rename in all files', async () => {
    const other = new EditedText('file:///b.ts', 'show(itemCount);\n');
    next.documents.push(other);
    next.edit(other, 'itemCount', 'total');
    next.edit(next.own, 'itemCount', 'total');
    await next.settle();
    expect(next.latest).toMatchObject({ document: { uri: 'file:///a.ts' }, newText: 'total', more: 1 });
  });

  it.each([
    ['once the client says that the user is there', () => next.service.cursorMoved(generated.uri, 0)],
    ['once the document of the cursor is closed', () => next.service.documentClosed('file:///a.ts')],
  ])('counts %s', async (_name, happens) => {
    next.rename();
    await next.settle();
    happens();
    grow();
    expect(next.announced.at(-1)).toBeNull();
  });

  it('counts behind an edit that was made there', async () => {
    const other = new EditedText('file:///b.ts', 'show(itemCount);\n');
    next.documents = [next.own, other];
    next.see(other);
    for (let round = 0; round < 3; round++) next.edit(next.own, 'itemCount', 'total');
    await next.settle();
    next.applyLatest();
    next.edit(other, 'show', 'itemCount');
    await next.settle();
    expect(next.latest).toMatchObject({ document: { uri: other.uri }, newText: 'total' });
  });
});

describe('nothing is due', () => {
  it('after an undo, whichever message comes first', async () => {
    const document = next.rename();
    await next.settle();
    next.service.documentUndone(document.uri, document.version + 1);
    next.edit(document, 'total', 'itemCount');
    await next.settle();
    expect(next.announced.at(-1)).toBeNull();

    next.edit(document, 'itemCount', 'total');
    next.edit(document, 'total', 'itemCount');
    next.service.documentUndone(document.uri, document.version);
    await next.settle();
    expect(next.announced.at(-1)).toBeNull();
  });

  it('while it is off, or off for the language', async () => {
    next.settings = { ...DEFAULT_SETTINGS, nextEditMode: 'off' };
    next.rename();
    await next.settle();
    next.settings = { ...DEFAULT_SETTINGS, languages: { typescript: false } };
    next.edit(next.own, 'total', 'sum');
    await next.settle();
    expect(next.announced).toEqual([]);
  });

  it('in and after edits of files that may hold secrets', async () => {
    const secret = new EditedText('file:///project/.env', 'const itemCount = 1;\nitemCount\n', 'plaintext');
    next.settings = { ...DEFAULT_SETTINGS, languages: {} };
    next.documents.unshift(secret);
    next.edit(secret, 'itemCount', 'total');
    await next.settle();
    expect(next.announced).toEqual([]);
    next.edit(next.documents[1] as EditedText, 'itemCount', 'total');
    await next.settle();
    expect(next.latest.document.uri).toBe('file:///a.ts');
  });

  it('in a document that closed', async () => {
    const document = next.rename();
    await next.settle();
    next.documents = [];
    next.service.documentClosed(document.uri);
    expect(next.announced.at(-1)).toBeNull();
  });

  it('of a kind that was dismissed', async () => {
    const document = next.rename();
    await next.settle();
    next.service.noteOutcome(next.latest.id, 'shown');
    next.service.noteOutcome(next.latest.id, 'dismissed');
    expect(next.announced.at(-1)).toBeNull();
    next.edit(document, 'print', 'log');
    await next.settle();
    expect(next.announced.filter((each) => each?.newText === 'total')).toHaveLength(1);
    expect(next.counts).toEqual(['nextEditsShown', 'nextEditsDismissed']);
  });
});

it('ignores outcomes of edits that it does not know', async () => {
  next.rename();
  next.service.noteOutcome(99, 'dismissed');
  next.service.noteOutcome(99, 'applied');
  next.service.noteOutcome(99, 'shown');
  expect(next.counts).toEqual([]);
});

describe('where nothing is repeated', () => {
  const settled = () => next.settle();

  function insert(): EditedText {
    next.edit(next.own, 'const', '/** Counts. */\nconst');
    return next.own;
  }

  it('the model is asked, and what it finds is announced', async () => {
    const asked: unknown[] = [];
    next.find = (document, _others, edits) => {
      asked.push({ text: document.text, offset: document.offset, edits: edits.length });
      return Promise.resolve({ kind: 'edit', uri: 'file:///a.ts', start: 0, end: 3, newText: '/** All' });
    };
    const document = insert();
    await settled();
    const offset = '/** Counts. */\nconst'.length;
    expect(asked).toEqual([{ text: document.getText(), offset, edits: 1 }]);
    expect(next.latest).toMatchObject({ start: 0, end: 3, newText: '/** All', reason: 'model', more: 0 });
    expect(next.service.decisions[0]).toMatchObject({ outcome: 'announced', reason: 'model', line: 0 });
  });

  it('what it finds in another open document is announced there, unless that has changed', async () => {
    const other = new EditedText('file:///b.ts', 'call(Counts);\n');
    next.documents.push(other);
    let answer: () => void = () => undefined;
    next.find = (_document, others) => {
      expect(others).toEqual([{ uri: other.uri, languageId: 'typescript', text: 'call(Counts);\n', offset: null }]);
      return new Promise((resolve) => {
        answer = () => resolve({ kind: 'edit', uri: other.uri, start: 5, end: 11, newText: 'All' });
      });
    };
    const document = insert();
    await settled();
    answer();
    await next.soon();
    expect(next.latest).toMatchObject({ document: { uri: other.uri }, start: 5, end: 11, reason: 'model' });
    next.announced = [];
    next.edit(document, 'Counts', 'Counted');
    await settled();
    other.replace('call', 'make');
    answer();
    await next.soon();
    expect(next.announced.filter((each) => each !== null)).toEqual([]);
  });

  it('a key ends the question, and a late answer is not announced', async () => {
    let signal: AbortSignal | undefined;
    let answer: (found: Awaited<ReturnType<ModelEdits['find']>>) => void = () => undefined;
    next.find = (_document, _others, _edits, asked) => {
      signal ??= asked;
      return new Promise((resolve) => {
        answer = resolve;
      });
    };
    const document = insert();
    await settled();
    expect(signal?.aborted).toBe(false);
    next.edit(document, 'Counts', 'Counted');
    expect(signal?.aborted).toBe(true);
    answer({ kind: 'edit', uri: 'file:///a.ts', start: 0, end: 3, newText: 'x' });
    await next.soon();
    expect(next.announced).toEqual([]);
  });

  it('the model sees no edit whose place is unknown, since next edits were off for a while', async () => {
    let edits: readonly unknown[] = [];
    next.find = (_document, _others, recent) => {
      edits = recent;
      return Promise.resolve({ kind: 'none', reason: 'unchanged' });
    };
    const document = next.rename();
    next.settings = { ...DEFAULT_SETTINGS, nextEditMode: 'off' };
    next.edit(document, 'const', '/** The number of them. */\nexport const');
    next.settings = DEFAULT_SETTINGS;
    next.edit(document, 'print(', 'log(', 1);
    await settled();
    expect(edits).toMatchObject([{ updated: expect.stringContaining('log(') }]);
  });

  it('says why there is none', async () => {
    insert();
    await settled();
    expect(next.service.decisions).toMatchObject([{ outcome: 'nothing', reason: 'unchanged', line: 1 }]);
    expect(next.service.decisions[0]?.sentence).toMatch(/\.$/);
  });

  it('an edit that was dismissed is not announced again', async () => {
    next.find = () => Promise.resolve({ kind: 'edit', uri: 'file:///a.ts', start: 0, end: 3, newText: '/** All' });
    const document = insert();
    await settled();
    next.service.noteOutcome(next.latest.id, 'dismissed');
    next.edit(document, '3;', '4;');
    await settled();
    expect(next.announced.at(-1)).toBeNull();
    expect(next.service.decisions[0]).toMatchObject({ reason: 'dismissed' });
  });

  it('a failure of the engine is no error of the editor', async () => {
    next.find = () => Promise.reject(new EngineError('decodeFailed', 'broken'));
    insert();
    await settled();
    expect(next.service.decisions[0]).toMatchObject({ outcome: 'nothing', reason: 'engineError' });
  });
});
