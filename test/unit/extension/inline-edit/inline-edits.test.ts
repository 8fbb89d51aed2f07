import { beforeEach, describe, expect, it, vi } from 'vitest';
import { FakeDocument, FakeTextEditor, fakeUser, vscode } from '../../../support/editor/fake-editor.js';
import { EditsUnderTest } from './edits-under-test.js';

vi.mock('vscode', async () => (await import('../../../support/editor/fake-editor.js')).vscode);

const BEFORE = 'one\ntwo\nthree';

let first: FakeDocument;
let second: FakeDocument;
let own: EditsUnderTest;

beforeEach(() => {
  [first, second] = [new FakeDocument('/first.txt', BEFORE), new FakeDocument('/second.txt', BEFORE)];
  own = new EditsUnderTest(first, second, new FakeDocument('/third.txt', ''));
});

describe('an edit of each of two documents', () => {
  beforeEach(async () => {
    await own.edit(0, 0, 'ONE');
    await own.edit(1, 1, 'TWO');
    expect([first.text, second.text]).toEqual(['ONE\ntwo\nthree', 'one\nTWO\nthree']);
  });

  it('is taken back where the keyboard is', async () => {
    own.focus(0);
    await fakeUser.run('inkling.undoEdit');
    expect([first.text, second.text]).toEqual([BEFORE, 'one\nTWO\nthree']);
    expect(own.isVisible).toBe(true);
    own.focus(1);
    await fakeUser.run('inkling.undoEdit');
    expect([first.text, second.text, own.isVisible]).toEqual([BEFORE, BEFORE, false]);
  });

  it('is kept where the keyboard is; the only one that is left is meant from anywhere', async () => {
    own.focus(1);
    await fakeUser.run('inkling.keepEdit');
    own.focus(2);
    await fakeUser.run('inkling.undoEdit');
    expect([first.text, second.text]).toEqual([BEFORE, 'one\nTWO\nthree']);
  });

  it('is left alone by a command elsewhere, which asks for a choice', async () => {
    own.focus(2);
    await fakeUser.run('inkling.undoEdit');
    expect([first.text, second.text]).toEqual(['ONE\ntwo\nthree', 'one\nTWO\nthree']);
    expect(fakeUser.notifications).toEqual([expect.stringContaining('Several files have edits')]);
  });

  it('is taken back from either side of its comparison', async () => {
    own.focus(1);
    await fakeUser.run('inkling.showEdit');
    const [original] = fakeUser.originals;
    if (original === undefined) throw new Error('nothing is compared');
    fakeUser.active = new FakeTextEditor(new FakeDocument(original.path, BEFORE, original));
    await fakeUser.run('inkling.undoEdit');
    expect([first.text, second.text]).toEqual(['ONE\ntwo\nthree', BEFORE]);
  });

  it('has buttons that mean its document, wherever the keyboard is', async () => {
    own.focus(0);
    await fakeUser.run('inkling.undoEdit', second.uri.toString());
    expect([first.text, second.text]).toEqual(['ONE\ntwo\nthree', BEFORE]);
  });
});

it('two edits of a document wait together', async () => {
  await own.edit(0, 0, 'ONE');
  await own.edit(0, 2, 'THREE');
  expect(first.text).toBe('ONE\ntwo\nTHREE');
  await fakeUser.run('inkling.undoEdit');
  expect(first.text).toBe(BEFORE);
});

it.each([
  ['joins the step of its edit', false, [true, false, false]],
  ['joins nothing that the user has typed since', true, [true, true, false]],
])('a hunk that is taken back %s', async (_name, types, steps) => {
  first.text = 'one\ntwo\nthree\nfour';
  await own.edit(0, 0, 'ONE\ntwo\nTHREE\nfour', 4);
  expect(first.text).toBe('ONE\ntwo\nTHREE\nfour');
  const end = first.text.length - 'ONE\ntwo\nTHREE\n'.length;
  const place = { line: 3, character: end };
  if (types) first.replace({ start: place, end: place, isEmpty: true }, '!');
  for (const id of [0, 1]) await fakeUser.run('inkling.internal.undoHunk', id);
  expect(first.text).toBe(`one\ntwo\nthree\nfour${types ? '!' : ''}`);
  expect(own.editors[0]?.undoSteps).toEqual(steps);
});

it('edits of lines beside one another, at the end of the document, are taken back together', async () => {
  await own.edit(0, 1, 'TWO');
  await own.edit(0, 2, 'THREE');
  expect(first.text).toBe('one\nTWO\nTHREE');
  await fakeUser.run('inkling.undoEdit');
  expect([first.text, fakeUser.notifications]).toEqual([BEFORE, []]);
});

it('an edit of lines that wait is taken back together with what was there before both', async () => {
  await own.edit(0, 0, 'ONE\nTWO\nthree', 3);
  await own.edit(0, 1, '2');
  expect(first.text).toBe('ONE\n2\nthree');
  await fakeUser.run('inkling.undoEdit');
  expect([first.text, own.isVisible]).toEqual([BEFORE, false]);
});

it('what is typed before the edit is known to be made moves it', async () => {
  const [editor] = own.editors;
  if (editor === undefined) throw new Error('there is no editor');
  const make = editor.edit.bind(editor);
  editor.edit = async (...parameters) => {
    const isMade = await make(...parameters);
    if (editor.undoSteps.length === 1) {
      const place = { line: 0, character: 0 };
      first.replace({ start: place, end: place, isEmpty: true }, 'zero\n');
      editor.selection = new vscode.Selection(1, 2, 1, 2);
    }
    return isMade;
  };
  await own.edit(0, 1, 'TWO');
  expect(first.text).toBe('zero\none\nTWO\nthree');
  // The cursor stays with what was typed.
  expect(editor.selection.start).toEqual({ line: 1, character: 2 });
  await fakeUser.run('inkling.undoEdit');
  expect(first.text).toBe(`zero\n${BEFORE}`);
});

it('an edit that cannot be made leaves the one before', async () => {
  await own.edit(0, 0, 'ONE');
  second.isReadOnly = true;
  await own.edit(1, 1, 'TWO');
  expect(fakeUser.notifications.at(-1)).toContain('cannot be edited');
  await fakeUser.run('inkling.undoEdit');
  expect(first.text).toBe(BEFORE);
});

it('a document whose language changes keeps its edit, and one that is closed loses it', async () => {
  await own.edit(0, 0, 'ONE');
  first.changeLanguage('markdown');
  expect(own.isVisible).toBe(true);
  first.close();
  expect(own.isVisible).toBe(false);
});

describe('an edit that waits while the window is reloaded', () => {
  /** VS Code opens the documents of visible editors at once, others when their tab is shown. */
  const reload = async (...open: readonly FakeDocument[]): Promise<void> => {
    await own.edits.close();
    own.edits.dispose();
    fakeUser.commands.clear();
    own.isVisible = false;
    own.editors = open.map((document) => new FakeTextEditor(document));
    Object.assign(fakeUser, { editors: [...own.editors], active: own.editors[0] });
    own.begin();
  };
  const again = (document: FakeDocument) => new FakeDocument(document.uri.path, document.text);

  it('waits on, with a button for each change', async () => {
    first.text = 'one\ntwo\nthree\nfour';
    await own.edit(0, 0, 'ONE\ntwo\nTHREE\nfour', 4);
    const now = again(first);
    await reload(now);
    expect(own.isVisible).toBe(true);
    await fakeUser.run('inkling.internal.undoHunk', 1);
    expect(now.text).toBe('ONE\ntwo\nthree\nfour');
    await own.edit(0, 3, 'FOUR');
    await fakeUser.run('inkling.undoEdit');
    expect([now.text, own.isVisible]).toEqual(['one\ntwo\nthree\nfour', false]);
  });

  it('moves with what was typed since', async () => {
    await own.edit(0, 1, 'TWO');
    const start = { line: 0, character: 0 };
    first.replace({ start, end: start, isEmpty: true }, 'zero\n');
    const now = again(first);
    await reload(now);
    await fakeUser.run('inkling.undoEdit');
    expect(now.text).toBe(`zero\n${BEFORE}`);
  });

  it('waits for its document to be shown, also through a second reload and while that is only open', async () => {
    await own.edit(1, 1, 'TWO');
    await reload(first);
    await reload(first);
    expect(own.isVisible).toBe(false);
    const now = again(second);
    // Such as by another extension. VS Code closes it by itself.
    const hidden = again(second);
    fakeUser.tellOpened(hidden);
    hidden.close();
    expect(own.isVisible).toBe(false);
    fakeUser.editors.push(new FakeTextEditor(now));
    fakeUser.tellVisible();
    expect(own.isVisible).toBe(true);
    await fakeUser.run('inkling.undoEdit', now.uri.toString());
    expect(now.text).toBe(BEFORE);
  });

  it('is over once it was decided, and where its document has another text', async () => {
    await own.edit(0, 0, 'ONE');
    await own.edit(1, 0, 'ONE');
    await fakeUser.run('inkling.keepEdit', first.uri.toString());
    await reload(again(first), new FakeDocument('/second.txt', 'one\nONE\ntwo\nthree'));
    expect(own.isVisible).toBe(false);
    await reload(again(first), again(second));
    expect([own.isVisible, own.stored]).toEqual([false, undefined]);
  });

  it.each([
    ['no record', 7],
    ['no hunks', { 'file:///first.txt': { hash: '', hunks: 1 } }],
    ['lines behind the end', 'end'],
    ['lines that overlap', 'overlap'],
  ])('is over where what was stored is damaged: %s', async (_name, damaged) => {
    await own.edit(0, 0, 'ONE');
    await own.edits.close();
    const known = own.stored as Record<string, { hunks: readonly { start: number; end: number }[] }>;
    const [edited] = Object.values(known);
    const [hunk] = edited?.hunks ?? [];
    if (edited === undefined || hunk === undefined) throw new Error('nothing was stored');
    if (damaged === 'end') edited.hunks = [{ ...hunk, end: 9 }];
    else if (damaged === 'overlap') edited.hunks = [hunk, hunk];
    const broken = typeof damaged === 'string' ? known : damaged;
    own.edits.close = async () => {
      own.stored = broken;
    };
    await reload(again(first));
    expect([own.isVisible, first.text]).toEqual([false, 'ONE\ntwo\nthree']);
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
  const ended = own.edit(0, 0, 'ONE');
  await isOpening;
  await own.edit(1, 1, 'TWO');
  open(again);
  await ended;
  expect([again.text, second.text]).toEqual([BEFORE, 'one\nTWO\nthree']);
});
