import { beforeEach, describe, expect, it, vi } from 'vitest';
import { DEFAULT_SETTINGS } from '../../../../server/protocol/index.js';
import type { ModelEdit } from '../../../../server/src/next-edit/model-edits.js';
import { RepeatSearch } from '../../../../server/src/next-edit/repeat-search.js';
import { EditedText } from './editor.js';
import { CODE, NextEditsUnderTest, nextEditsInEachTest } from './next-edits-under-test.js';

let next: NextEditsUnderTest;
const trees = nextEditsInEachTest((made) => {
  next = made;
});

describe('an edit is finished before the pause is over', () => {
  it('where the cursor leaves its lines', async () => {
    const document = next.rename();
    next.service.cursorMoved(document.uri, document.getText().length);
    await next.soon();
    expect(next.latest.newText).toBe('total');
  });

  it('where the user goes to another document', async () => {
    next.documents.push(new EditedText('file:///b.ts', 'show();\n'));
    next.rename();
    next.service.cursorMoved('file:///b.ts', 0);
    await next.soon();
    expect(next.latest.document.uri).toBe('file:///a.ts');
  });

  it('not where the cursor stays, or goes to the next line', async () => {
    const document = next.rename();
    next.service.cursorMoved(document.uri, document.getText().indexOf(' ='));
    next.service.cursorMoved(document.uri, document.getText().indexOf('print'));
    await next.soon();
    expect(next.announced).toEqual([]);
  });

  it('where a suggestion was accepted', async () => {
    const document = next.rename();
    next.service.suggestionAccepted('file:///b.ts');
    await next.soon();
    expect(next.announced).toEqual([]);
    next.service.suggestionAccepted(document.uri);
    await next.soon();
    expect(next.latest.newText).toBe('total');
  });

  it('and nothing is looked for where no edit is pending', async () => {
    next.rename();
    await next.settle();
    next.announced = [];
    next.service.cursorMoved('file:///a.ts', CODE.length);
    next.service.suggestionAccepted('file:///a.ts');
    await next.soon();
    expect(next.announced).toEqual([]);
  });
});

describe('in other documents nothing is due', () => {
  let other: EditedText;
  let asked: readonly string[];

  beforeEach(() => {
    other = new EditedText('file:///b.ts', 'show(itemCount);\n');
    next.documents.push(other);
    asked = [];
    next.find = (_document, others) => {
      asked = others.map(({ uri }) => uri);
      return Promise.resolve({ kind: 'none', reason: 'unchanged' });
    };
  });

  async function renameAll(): Promise<void> {
    for (let round = 0; round < 3; round++) next.edit(next.own, 'itemCount', 'total');
    await next.settle();
  }

  it('that the user has not seen', async () => {
    next.service.clientReportsCursor();
    await renameAll();
    expect(next.announced).toEqual([]);
    expect(asked).toEqual([]);
    next.see(other);
    next.edit(next.own, '3;', '4;');
    await next.settle();
    expect(next.latest.document.uri).toBe(other.uri);
  });

  it('that Inkling may not look at', async () => {
    next.excluded = [other.uri];
    await renameAll();
    expect(next.announced).toEqual([]);
  });
});

it('nothing is due where it would add a syntax error', async () => {
  const search = new RepeatSearch({ admits: () => Promise.resolve(true) }, trees);
  const edit = { uri: 'file:///b.ts', line: 1, original: 'f(itemCount);', updated: 'f(...itemCounts);' };
  const find = (text: string) =>
    search.find(
      {
        own: { uri: 'file:///a.ts', languageId: 'typescript', text },
        offset: 0,
        others: [],
        edits: [edit, edit],
        isDismissed: () => false,
      },
      new AbortController().signal,
    );
  expect(await find('const a = itemCount;\n')).toEqual({ kind: 'none', reason: 'newSyntaxError' });
  const found = await find('const a = itemCount;\nf(itemCount);\n');
  expect(found).toMatchObject({ kind: 'edit', edit: { start: 23, newText: '...itemCounts' } });
});

it('a key ends a search through many documents', async () => {
  vi.useRealTimers();
  const admitted: string[] = [];
  const admits = (uri: string) => {
    admitted.push(uri);
    return Promise.resolve(true);
  };
  const own = { uri: 'file:///a.txt', languageId: 'plaintext', text: '' };
  const others = ['file:///b.txt', 'file:///c.txt'].map((uri) => ({ ...own, uri, text: 'f(itemCount);\n' }));
  const edit = { uri: own.uri, line: 1, original: 'f(itemCount);', updated: 'f(total);' };
  const key = new AbortController();
  const question = { own, offset: 0, others, edits: [edit, edit], isDismissed: () => false };
  const found = new RepeatSearch({ admits }, trees).find(question, key.signal);
  setImmediate(() => key.abort());
  expect(await found).toEqual({ kind: 'none', reason: null });
  expect(admitted).not.toContain('file:///c.txt');
});

it('a client that shows no next edits costs nothing', async () => {
  const at = vi.spyOn(trees, 'at');
  next = new NextEditsUnderTest(trees);
  next.rename();
  expect(vi.getTimerCount()).toBe(0);
  await next.settle();
  expect([next.announced, next.service.decisions, at.mock.calls]).toEqual([[], [], []]);
  at.mockRestore();
});

describe('once the settings forbid it', () => {
  it.each([{ enabled: false }, { nextEditMode: 'off' }, { languages: { typescript: false } }] as const)(
    'an announced edit is withdrawn: %j',
    async (forbidding) => {
      next.rename();
      await next.settle();
      expect(next.announced).toHaveLength(1);
      next.settings = { ...DEFAULT_SETTINGS, inComments: false };
      next.service.settingsChanged();
      expect(next.announced).toHaveLength(1);
      next.settings = { ...DEFAULT_SETTINGS, ...forbidding };
      next.service.settingsChanged();
      expect(next.announced.slice(1)).toEqual([null]);
      await next.settle();
      expect(next.announced).toHaveLength(2);
    },
  );

  it.each([{ enabled: false }, { nextEditMode: 'off' }, { languages: { typescript: false } }] as const)(
    'what the model finds is not announced: %j',
    async (forbidding) => {
      let answer: (found: ModelEdit) => void = () => undefined;
      const signals: AbortSignal[] = [];
      next.find = (_document, _others, _edits, signal) => {
        signals.push(signal);
        return new Promise((resolve) => (answer = resolve));
      };
      next.edit(next.own, 'print(itemCount);', 'print(itemCount, 1);');
      await next.settle();
      next.settings = { ...DEFAULT_SETTINGS, ...forbidding };
      next.service.settingsChanged();
      expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
      answer({ kind: 'edit', uri: next.own.uri, start: 0, end: 5, newText: 'let' });
      await next.settle();
      expect(next.announced).toEqual([]);
      expect(next.reasons).toEqual(['languages' in forbidding ? 'languageDisabled' : 'off']);
    },
  );
});

describe('why there is none', () => {
  it.each<[string, () => void]>([
    [
      'off',
      () => {
        next.settings = { ...DEFAULT_SETTINGS, nextEditMode: 'off' };
      },
    ],
    [
      'languageDisabled',
      () => {
        next.settings = { ...DEFAULT_SETTINGS, languages: { typescript: false } };
      },
    ],
    [
      'secretFile',
      () => {
        next.documents[0] = new EditedText('file:///a/.env', CODE);
      },
    ],
    [
      'tooLong',
      () => {
        next.documents[0] = new EditedText('file:///a.ts', CODE + '/'.repeat(1_000_000));
      },
    ],
  ])('is %s, said once for all its keys', async (reason, prepare) => {
    prepare();
    next.rename();
    next.rename();
    await next.settle();
    expect(next.reasons).toEqual([reason]);
  });

  it('is an undo, and then that no edit is left', async () => {
    const document = next.rename();
    next.service.documentUndone(document.uri, document.version);
    expect(next.reasons).toEqual(['undone']);
    next.edit(document, CODE.slice(20), `${'x'.repeat(3_000)}`);
    await next.settle();
    expect(next.reasons).toEqual(['noEdit', 'undone']);
  });

  it('is an undo, while the model was asked', async () => {
    let answer: (found: ModelEdit) => void = () => undefined;
    next.find = () => new Promise((resolve) => (answer = resolve));
    const document = next.own;
    next.edit(document, '3;', '4;');
    await next.settle();
    next.edit(document, '4;', '3;');
    next.service.documentUndone(document.uri, document.version);
    answer({ kind: 'none', reason: 'cancelled' });
    await next.settle();
    expect(next.reasons).toEqual(['undone']);
  });

  it('is a key, while the model was asked', async () => {
    let answer: (() => void) | undefined;
    next.find = () =>
      new Promise((resolve) => {
        answer = () => resolve({ kind: 'none', reason: 'unchanged' });
      });
    const document = next.own;
    next.edit(document, '3;', '4;');
    await next.settle();
    next.edit(document, '4;', '5;');
    answer?.();
    await next.soon();
    expect(next.reasons).toEqual(['cancelled']);
  });

  it('is what the user dismissed, where no model was asked', async () => {
    next.find = () => Promise.resolve({ kind: 'none', reason: 'noFormat' });
    const document = next.rename();
    await next.settle();
    next.service.noteOutcome(next.latest.id, 'dismissed');
    next.edit(document, 'print', 'log');
    await next.settle();
    expect(next.reasons[0]).toBe('dismissed');
  });

  it('is that the places are not likely enough', async () => {
    next.find = () => Promise.resolve({ kind: 'none', reason: 'noFormat' });
    next.documents = [new EditedText('file:///a.ts', 'for (a of b) c(b);\nwait of it();\n')];
    next.edit(next.own, 'of', 'in');
    await next.settle();
    expect(next.reasons).toEqual(['unsure']);
  });
});

describe('what was dismissed of one tier is not offered by the other', () => {
  it('of the model, after a repeated rename', async () => {
    const document = next.rename();
    await next.settle();
    next.service.noteOutcome(next.latest.id, 'dismissed');
    // The smallest change of two places in one region, as the model's tier finds it.
    next.find = (own) => {
      const start = own.text.indexOf('itemCount');
      const end = own.text.lastIndexOf('itemCount') + 'itemCount'.length;
      const newText = own.text.slice(start, end).replaceAll('itemCount', 'total');
      return Promise.resolve({ kind: 'edit', uri: own.uri, start, end, newText });
    };
    next.announced = [];
    next.edit(document, '3;', '4;');
    await next.settle();
    expect(next.announced).toEqual([]);
    expect(next.service.decisions[0]).toMatchObject({ reason: 'dismissed' });
  });

  it('of the repeats, after the model had it', async () => {
    next.find = (own) => {
      const start = own.text.indexOf('itemCount + 1');
      return Promise.resolve({ kind: 'edit', uri: own.uri, start, end: start + 'itemCount'.length, newText: 'total' });
    };
    const document = next.own;
    next.edit(document, '3;', '4;');
    await next.settle();
    expect(next.latest.reason).toBe('model');
    next.service.noteOutcome(next.latest.id, 'dismissed');
    next.announced = [];
    next.edit(document, 'itemCount', 'total');
    await next.settle();
    expect(next.announced).toEqual([]);
  });
});
