import { beforeEach, describe, expect, it, vi } from 'vitest';
import { FakeDocument, FakeNotebook, FakeTextEditor, fakeUser, vscode } from '../../../support/editor/fake-editor.js';
import { EditsUnderTest } from './edits-under-test.js';

vi.mock('vscode', async () => (await import('../../../support/editor/fake-editor.js')).vscode);

const BEFORE = 'one\ntwo\nthree';

let first: FakeDocument;
let own: EditsUnderTest;

beforeEach(() => {
  first = new FakeDocument('/first.txt', BEFORE);
  own = new EditsUnderTest(first);
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
    await own.edit(0, 0, 'ONE');
    const renamed = new FakeDocument('/renamed.txt', first.text);
    for (const step of steps) step(renamed);
    expect(own.isVisible).toBe(true);
    await fakeUser.run('inkling.undoEdit', renamed.uri.toString());
    expect([renamed.text, own.isVisible]).toEqual([BEFORE, false]);
  });

  it('waits in a renamed folder', async () => {
    first = new FakeDocument('/old/first.txt', BEFORE);
    own.editors = [new FakeTextEditor(first)];
    fakeUser.editors = [...own.editors];
    await own.edit(0, 0, 'ONE');
    const moved = new FakeDocument('/new/first.txt', first.text);
    close();
    open(moved);
    fakeUser.tellRenamed(new vscode.Uri('file', '/old'), new vscode.Uri('file', '/new'));
    await fakeUser.run('inkling.undoEdit', moved.uri.toString());
    expect(moved.text).toBe(BEFORE);
  });

  it('is over where the file has another text by now', async () => {
    await own.edit(0, 0, 'ONE');
    const other = new FakeDocument('/renamed.txt', 'zero');
    close();
    open(other);
    tell(other);
    expect(own.isVisible).toBe(false);
    await fakeUser.run('inkling.undoEdit', other.uri.toString());
    expect(other.text).toBe('zero');
  });

  it('is over where the document is only closed', async () => {
    await own.edit(0, 0, 'ONE');
    close();
    open(new FakeDocument('/first.txt', 'ONE\ntwo\nthree'));
    expect(own.isVisible).toBe(false);
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
    own.editors = old.cells.map((cell) => new FakeTextEditor(cell));
    fakeUser.editors = [...own.editors];
    fakeUser.notebooks = [old];
    await own.edit(1, 0, 'ONE');
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
    expect(own.isVisible).toBe(true);
    await fakeUser.run('inkling.undoEdit', now.cells[1]?.uri.toString());
    expect([now.cells.map(({ text }) => text), own.isVisible]).toEqual([['ONE', 'one', 'two'], false]);
  });
});

it('an edit of a cell with unsaved changes waits on although VS Code opens the renamed notebook without them', async () => {
  const named = (path: string, handle: string, text: string) => new FakeNotebook(path, ['W0', handle], ['one', text]);
  const [old, onDisk, restored] = [
    named('/old.ipynb', 'W1', 'two'),
    named('/new.ipynb', 'W1', 'two'),
    named('/new.ipynb', 'W2', 'TWO'),
  ];
  const show = (notebook: FakeNotebook): void => {
    fakeUser.notebooks = [notebook];
    fakeUser.editors = notebook.cells.map((cell) => new FakeTextEditor(cell));
    for (const cell of notebook.cells) fakeUser.tellOpened(cell);
  };
  show(old);
  own.editors = [...fakeUser.editors];
  await own.edit(1, 0, 'TWO');
  fakeUser.tellWillRename();
  fakeUser.notebooks = [];
  for (const cell of old.cells) cell.close();
  show(onDisk);
  fakeUser.tellRenamed(old.uri, onDisk.uri);
  expect(own.isVisible).toBe(false);
  onDisk.cells[1]?.close();
  show(restored);
  expect(own.isVisible).toBe(true);
  await fakeUser.run('inkling.undoEdit', restored.cells[1]?.uri.toString());
  expect([restored.cells.map(({ text }) => text), own.isVisible]).toEqual([['one', 'two'], false]);
});
