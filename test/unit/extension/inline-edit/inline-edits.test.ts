import { beforeEach, describe, expect, it, vi } from 'vitest';
import { InlineEdits } from '../../../../extension/src/inline-edit/inline-edits.js';
import { FakeDocument, FakeNotebook, FakeTextEditor, fakeUser, vscode } from '../../../support/editor/fake-editor.js';

vi.mock('vscode', async () => (await import('../../../support/editor/fake-editor.js')).vscode);

const BEFORE = 'one\ntwo\nthree';

let first: FakeDocument;
let second: FakeDocument;
let editors: readonly FakeTextEditor[];
/** The answers of the model, one a question. */
let answers: (() => Promise<string>)[];
let isVisible: boolean;
/** What the workspace's state has of them. */
let stored: unknown;
let edits: InlineEdits;

beforeEach(() => {
  [first, second] = [new FakeDocument('/first.txt', BEFORE), new FakeDocument('/second.txt', BEFORE)];
  editors = fakeUser.open(first, second, new FakeDocument('/third.txt', ''));
  answers = [];
  isVisible = false;
  stored = undefined;
  edits = begin();
});

function begin(): InlineEdits {
  let isConstructed = false;
  const begun = new InlineEdits({
    server: {
      ask: async () => {
        const text = (await answers.shift()?.()) ?? '';
        const known = { thinking: '', toolCalls: [], droppedTurns: 0, forgottenTokens: 0, promptTokens: 1 };
        const counted = { reusedTokens: 0, generatedTokens: 1, prefillMs: 0, decodeMs: 0, preemptions: 0 };
        return { kind: 'answered', answer: { text, ending: 'complete', ...known, ...counted } };
      },
    },
    mayShow: async () => true,
    mayAsk: async () => true,
    rules: () => null,
    store: {
      get: () => stored,
      set: async (value) => {
        stored = value === undefined ? undefined : JSON.parse(JSON.stringify(value));
      },
    },
    setVisible: (visible) => {
      // What it leads to is constructed later.
      if (!isConstructed) throw new Error('nobody can hear of edits yet');
      isVisible = visible;
    },
  });
  isConstructed = true;
  begun.restore();
  return begun;
}

const focus = (index: number) => {
  fakeUser.active = editors[index];
};

/** Has the model write lines in place of one or several. */
async function edit(index: number, line: number, written: string, count = 1): Promise<void> {
  focus(index);
  const editor = editors[index];
  if (editor === undefined) throw new Error('there is no such editor');
  const { selection } = editor;
  editor.selection = Object.assign(Object.create(Object.getPrototypeOf(selection)) as typeof selection, {
    start: { line, character: 0 },
    end: { line: line + count - 1, character: 1 },
  });
  answers.push(async () => `\`\`\`\n${written}\n\`\`\``);
  fakeUser.input = 'in capitals';
  await fakeUser.run('inkling.editSelection');
}

describe('an edit of each of two documents', () => {
  beforeEach(async () => {
    await edit(0, 0, 'ONE');
    await edit(1, 1, 'TWO');
    expect([first.text, second.text]).toEqual(['ONE\ntwo\nthree', 'one\nTWO\nthree']);
  });

  it('is taken back where the keyboard is', async () => {
    focus(0);
    await fakeUser.run('inkling.undoEdit');
    expect([first.text, second.text]).toEqual([BEFORE, 'one\nTWO\nthree']);
    expect(isVisible).toBe(true);
    focus(1);
    await fakeUser.run('inkling.undoEdit');
    expect([first.text, second.text, isVisible]).toEqual([BEFORE, BEFORE, false]);
  });

  it('is kept where the keyboard is; the only one that is left is meant from anywhere', async () => {
    focus(1);
    await fakeUser.run('inkling.keepEdit');
    focus(2);
    await fakeUser.run('inkling.undoEdit');
    expect([first.text, second.text]).toEqual([BEFORE, 'one\nTWO\nthree']);
  });

  it('is left alone by a command elsewhere, which asks for a choice', async () => {
    focus(2);
    await fakeUser.run('inkling.undoEdit');
    expect([first.text, second.text]).toEqual(['ONE\ntwo\nthree', 'one\nTWO\nthree']);
    expect(fakeUser.notifications).toEqual([expect.stringContaining('Several files have edits')]);
  });

  it('is taken back from either side of its comparison', async () => {
    focus(1);
    await fakeUser.run('inkling.showEdit');
    const [original] = fakeUser.originals;
    if (original === undefined) throw new Error('nothing is compared');
    fakeUser.active = new FakeTextEditor(new FakeDocument(original.path, BEFORE, original));
    await fakeUser.run('inkling.undoEdit');
    expect([first.text, second.text]).toEqual(['ONE\ntwo\nthree', BEFORE]);
  });

  it('has buttons that mean its document, wherever the keyboard is', async () => {
    focus(0);
    await fakeUser.run('inkling.undoEdit', second.uri.toString());
    expect([first.text, second.text]).toEqual(['ONE\ntwo\nthree', BEFORE]);
  });
});

it('two edits of a document wait together', async () => {
  await edit(0, 0, 'ONE');
  await edit(0, 2, 'THREE');
  expect(first.text).toBe('ONE\ntwo\nTHREE');
  await fakeUser.run('inkling.undoEdit');
  expect(first.text).toBe(BEFORE);
});

it.each([
  ['joins the step of its edit', false, [true, false, false]],
  ['joins nothing that the user has typed since', true, [true, true, false]],
])('a hunk that is taken back %s', async (_name, types, steps) => {
  first.text = 'one\ntwo\nthree\nfour';
  await edit(0, 0, 'ONE\ntwo\nTHREE\nfour', 4);
  expect(first.text).toBe('ONE\ntwo\nTHREE\nfour');
  const end = first.text.length - 'ONE\ntwo\nTHREE\n'.length;
  const place = { line: 3, character: end };
  if (types) first.replace({ start: place, end: place, isEmpty: true }, '!');
  for (const id of [0, 1]) await fakeUser.run('inkling.internal.undoHunk', id);
  expect(first.text).toBe(`one\ntwo\nthree\nfour${types ? '!' : ''}`);
  expect(editors[0]?.undoSteps).toEqual(steps);
});

it('edits of lines beside one another, at the end of the document, are taken back together', async () => {
  await edit(0, 1, 'TWO');
  await edit(0, 2, 'THREE');
  expect(first.text).toBe('one\nTWO\nTHREE');
  await fakeUser.run('inkling.undoEdit');
  expect([first.text, fakeUser.notifications]).toEqual([BEFORE, []]);
});

it('an edit of lines that wait is taken back together with what was there before both', async () => {
  await edit(0, 0, 'ONE\nTWO\nthree', 3);
  await edit(0, 1, '2');
  expect(first.text).toBe('ONE\n2\nthree');
  await fakeUser.run('inkling.undoEdit');
  expect([first.text, isVisible]).toEqual([BEFORE, false]);
});

it('what is typed before the edit is known to be made moves it', async () => {
  const [editor] = editors;
  if (editor === undefined) throw new Error('there is no editor');
  const make = editor.edit.bind(editor);
  editor.edit = async (...parameters) => {
    const isMade = await make(...parameters);
    if (editor.undoSteps.length === 1) {
      const place = { line: 0, character: 0 };
      first.replace({ start: place, end: place, isEmpty: true }, 'zero\n');
    }
    return isMade;
  };
  await edit(0, 1, 'TWO');
  expect(first.text).toBe('zero\none\nTWO\nthree');
  await fakeUser.run('inkling.undoEdit');
  expect(first.text).toBe(`zero\n${BEFORE}`);
});

it('an edit that cannot be made leaves the one before', async () => {
  await edit(0, 0, 'ONE');
  second.isReadOnly = true;
  await edit(1, 1, 'TWO');
  expect(fakeUser.notifications.at(-1)).toContain('cannot be edited');
  await fakeUser.run('inkling.undoEdit');
  expect(first.text).toBe(BEFORE);
});

it('a document whose language changes keeps its edit, and one that is closed loses it', async () => {
  await edit(0, 0, 'ONE');
  first.changeLanguage('markdown');
  expect(isVisible).toBe(true);
  first.close();
  expect(isVisible).toBe(false);
});

describe('an edit of a file that gets another name', () => {
  const close = () => first.close();
  const open = (document: FakeDocument) => {
    fakeUser.editors.push(new FakeTextEditor(document));
    fakeUser.tellOpened(document);
  };
  const tell = (document: FakeDocument) => fakeUser.tellRenamed(first.uri, document.uri);

  it.each([
    ['closed, opened, told', [close, open, tell]],
    ['opened, closed, told', [open, close, tell]],
    ['told, closed, opened', [tell, close, open]],
    ['told, opened, closed', [tell, open, close]],
    ['closed, told, opened', [close, tell, open]],
    ['opened, told, closed', [open, tell, close]],
  ])('waits under the new name: %s', async (_order, steps) => {
    await edit(0, 0, 'ONE');
    const renamed = new FakeDocument('/renamed.txt', first.text);
    for (const step of steps) step(renamed);
    expect(isVisible).toBe(true);
    await fakeUser.run('inkling.undoEdit', renamed.uri.toString());
    expect([renamed.text, isVisible]).toEqual([BEFORE, false]);
  });

  it('waits in a renamed folder', async () => {
    first = new FakeDocument('/old/first.txt', BEFORE);
    editors = [new FakeTextEditor(first)];
    fakeUser.editors = [...editors];
    await edit(0, 0, 'ONE');
    const moved = new FakeDocument('/new/first.txt', first.text);
    close();
    open(moved);
    fakeUser.tellRenamed(new vscode.Uri('file', '/old'), new vscode.Uri('file', '/new'));
    await fakeUser.run('inkling.undoEdit', moved.uri.toString());
    expect(moved.text).toBe(BEFORE);
  });

  it('is over where the file has another text by now', async () => {
    await edit(0, 0, 'ONE');
    const other = new FakeDocument('/renamed.txt', 'zero');
    close();
    open(other);
    tell(other);
    expect(isVisible).toBe(false);
    await fakeUser.run('inkling.undoEdit', other.uri.toString());
    expect(other.text).toBe('zero');
  });

  it('is over where the document is only closed', async () => {
    await edit(0, 0, 'ONE');
    close();
    open(new FakeDocument('/first.txt', 'ONE\ntwo\nthree'));
    expect(isVisible).toBe(false);
  });
});

describe('an edit of a cell of a notebook that gets another name', () => {
  let old: FakeNotebook;
  let now: FakeNotebook;
  const close = (): void => {
    fakeUser.notebooks = fakeUser.notebooks.filter((each) => each !== old);
    for (const cell of old.cells) cell.close();
  };
  const open = (): void => {
    fakeUser.notebooks = [...fakeUser.notebooks, now];
    fakeUser.editors.push(...now.cells.map((cell) => new FakeTextEditor(cell)));
    for (const cell of now.cells) fakeUser.tellOpened(cell);
  };
  const tell = (): void => fakeUser.tellRenamed(old.uri, now.uri);

  beforeEach(async () => {
    // The second cell was made last, so VS Code gives the cells other handles when it opens the notebook again.
    old = new FakeNotebook('/old.ipynb', ['W0', 'W2', 'W1'], ['ONE', 'one', 'two']);
    now = new FakeNotebook('/new.ipynb', ['W0', 'W1', 'W2'], ['ONE', 'ONE', 'two']);
    editors = old.cells.map((cell) => new FakeTextEditor(cell));
    fakeUser.editors = [...editors];
    fakeUser.notebooks = [old];
    await edit(1, 0, 'ONE');
    expect(old.cells.map(({ text }) => text)).toEqual(['ONE', 'ONE', 'two']);
    fakeUser.tellWillRename();
  });

  it.each([
    ['closed, opened, told', [close, open, tell]],
    ['opened, closed, told', [open, close, tell]],
    ['told, closed, opened', [tell, close, open]],
    ['closed, told, opened', [close, tell, open]],
  ])('waits in the cell with its number: %s', async (_order, steps) => {
    for (const step of steps) step();
    expect(isVisible).toBe(true);
    await fakeUser.run('inkling.undoEdit', now.cells[1]?.uri.toString());
    expect([now.cells.map(({ text }) => text), isVisible]).toEqual([['ONE', 'one', 'two'], false]);
  });
});

describe('an edit that waits while the window is reloaded', () => {
  /** VS Code opens the documents of visible editors at once, others when their tab is shown. */
  const reload = async (...open: readonly FakeDocument[]): Promise<void> => {
    await edits.close();
    edits.dispose();
    fakeUser.commands.clear();
    isVisible = false;
    editors = open.map((document) => new FakeTextEditor(document));
    Object.assign(fakeUser, { editors: [...editors], active: editors[0] });
    edits = begin();
  };
  const again = (document: FakeDocument) => new FakeDocument(document.uri.path, document.text);

  it('waits on, with a button for each change', async () => {
    first.text = 'one\ntwo\nthree\nfour';
    await edit(0, 0, 'ONE\ntwo\nTHREE\nfour', 4);
    const now = again(first);
    await reload(now);
    expect(isVisible).toBe(true);
    await fakeUser.run('inkling.internal.undoHunk', 1);
    expect(now.text).toBe('ONE\ntwo\nthree\nfour');
    await edit(0, 3, 'FOUR');
    await fakeUser.run('inkling.undoEdit');
    expect([now.text, isVisible]).toEqual(['one\ntwo\nthree\nfour', false]);
  });

  it('moves with what was typed since', async () => {
    await edit(0, 1, 'TWO');
    const start = { line: 0, character: 0 };
    first.replace({ start, end: start, isEmpty: true }, 'zero\n');
    const now = again(first);
    await reload(now);
    await fakeUser.run('inkling.undoEdit');
    expect(now.text).toBe(`zero\n${BEFORE}`);
  });

  it('waits for its document to be shown, also through a second reload and while that is only open', async () => {
    await edit(1, 1, 'TWO');
    await reload(first);
    await reload(first);
    expect(isVisible).toBe(false);
    const now = again(second);
    // Such as by another extension. VS Code closes it by itself.
    const hidden = again(second);
    fakeUser.tellOpened(hidden);
    hidden.close();
    expect(isVisible).toBe(false);
    fakeUser.editors.push(new FakeTextEditor(now));
    fakeUser.tellVisible();
    expect(isVisible).toBe(true);
    await fakeUser.run('inkling.undoEdit', now.uri.toString());
    expect(now.text).toBe(BEFORE);
  });

  it('is over once it was decided, and where its document has another text', async () => {
    await edit(0, 0, 'ONE');
    await edit(1, 0, 'ONE');
    await fakeUser.run('inkling.keepEdit', first.uri.toString());
    await reload(again(first), new FakeDocument('/second.txt', 'one\nONE\ntwo\nthree'));
    expect(isVisible).toBe(false);
    await reload(again(first), again(second));
    expect([isVisible, stored]).toEqual([false, undefined]);
  });

  it.each([
    ['no record', 7],
    ['no hunks', { 'file:///first.txt': { hash: '', hunks: 1 } }],
    ['lines behind the end', 'end'],
    ['lines that overlap', 'overlap'],
  ])('is over where what was stored is damaged: %s', async (_name, damaged) => {
    await edit(0, 0, 'ONE');
    await edits.close();
    const known = stored as Record<string, { hunks: readonly { start: number; end: number }[] }>;
    const [edited] = Object.values(known);
    const [hunk] = edited?.hunks ?? [];
    if (edited === undefined || hunk === undefined) throw new Error('nothing was stored');
    if (damaged === 'end') edited.hunks = [{ ...hunk, end: 9 }];
    else if (damaged === 'overlap') edited.hunks = [hunk, hunk];
    const broken = typeof damaged === 'string' ? known : damaged;
    edits.close = async () => {
      stored = broken;
    };
    await reload(again(first));
    expect([isVisible, first.text]).toEqual([false, 'ONE\ntwo\nthree']);
  });
});

it('an edit does not come into a document that is opened again once a later one has begun', async () => {
  const again = new FakeDocument('/first.txt', BEFORE);
  let open = (_document: FakeDocument): void => undefined;
  const isOpening = new Promise<void>((asked) => {
    fakeUser.reopen = () =>
      new Promise((resolve) => {
        open = resolve;
        asked();
      });
  });
  first.isClosed = true;
  const ended = edit(0, 0, 'ONE');
  await isOpening;
  await edit(1, 1, 'TWO');
  open(again);
  await ended;
  expect([again.text, second.text]).toEqual([BEFORE, 'one\nTWO\nthree']);
});
