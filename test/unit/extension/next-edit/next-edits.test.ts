import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { NextEdits } from '../../../../extension/src/next-edit/next-edits.js';
import { FakeDocument, fakeUser, vscode } from '../../../support/editor/fake-editor.js';

vi.mock('vscode', async () => (await import('../../../support/editor/fake-editor.js')).vscode);

const { Range, Selection, Uri } = vscode;

/** Says what Inkling says of the keys. */
function nextEdits(keys: (readonly [visible: boolean, takesTab: boolean])[] = []): NextEdits {
  return new NextEdits({
    mode: () => 'calm',
    report: () => undefined,
    setKeys: (visible, takesTab) => void keys.push([visible, takesTab]),
  });
}

it.each([
  ['makes the edit where it was chosen, such as in a peek view', 'inkling.internal.makeNextEdit', 'one\nTWO', []],
  [
    'goes to the edit with the keyboard, which a click has taken',
    'inkling.nextEdit.accept',
    'one\ntwo',
    ['workbench.action.focusActiveEditorGroup'],
  ],
])('the command %s', async (_name, command, text, ran) => {
  const document = new FakeDocument('/a.txt', 'one\ntwo');
  fakeUser.open(document);
  const edits = new NextEdits({ mode: () => 'eager', report: () => undefined, setKeys: () => undefined });
  const range = { start: { line: 1, character: 0 }, end: { line: 1, character: 3 } };
  const known = { id: 1, uri: document.uri.toString(), version: document.version, reason: 'repeat', more: 0 } as const;
  edits.announce({ edit: { ...known, range, oldText: 'two', newText: 'TWO' } });
  await fakeUser.run(command);
  expect([document.text, fakeUser.ran.filter((each) => each !== 'setContext')]).toEqual([text, ran]);
  edits.dispose();
});

it.each([
  ['above the first line', 0, 0, 'new\n', 'new\none\ntwo'],
  ['between the first two lines', 1, 0, 'new\n', 'one\nnew\ntwo'],
  ['after the first line', 0, 3, '\nnew', 'one\nnew\ntwo'],
])('shows and makes an edit that adds a line %s', async (_place, line, character, newText, text) => {
  const document = new FakeDocument('/a.txt', 'one\ntwo');
  const [editor] = fakeUser.open(document);
  if (editor !== undefined) editor.selection = new Selection(line, character, line, character);
  const edits = nextEdits();
  const [place, known] = [{ line, character }, { id: 1, version: document.version, reason: 'model', more: 0 } as const];
  edits.announce({
    edit: { ...known, uri: document.uri.toString(), range: { start: place, end: place }, oldText: '', newText },
  });
  expect(edits.isShown).toBe(true);
  await fakeUser.run('inkling.nextEdit.accept');
  expect(document.text).toBe(text);
  edits.dispose();
});

it('a log in the panel shows no hint of an edit, and its new lines withdraw none', () => {
  const document = new FakeDocument('/a.txt', 'one\ntwo');
  const output = new FakeDocument('', 'started', new Uri('output', '/tasks'));
  const [inFile, inOutput] = fakeUser.open(document, output);
  const keys: (readonly [boolean, boolean])[] = [];
  const edits = nextEdits(keys);
  const range = { start: { line: 1, character: 0 }, end: { line: 1, character: 3 } };
  const known = { id: 1, uri: document.uri.toString(), version: document.version, reason: 'repeat', more: 0 } as const;
  edits.announce({ edit: { ...known, range, oldText: 'two', newText: 'TWO' } });
  fakeUser.active = inOutput;
  edits.refresh();
  expect([edits.isShown, keys.at(-1)]).toEqual([false, [false, false]]);
  output.replace(new Range(0, 7, 0, 7), '\ndone');
  fakeUser.active = inFile;
  edits.refresh();
  expect(edits.isShown).toBe(true);
  edits.dispose();
});

it.each(['two', ''])('a preview within a line that is cut has all of the new text in its hover: %j', (oldText) => {
  const document = new FakeDocument('/a.txt', 'one\ntwo');
  const [editor] = fakeUser.open(document);
  if (editor === undefined) throw new Error('no editor');
  editor.selection = new Selection(1, 0, 1, 0);
  const edits = nextEdits();
  const range = { start: { line: 1, character: 0 }, end: { line: 1, character: oldText.length } };
  const known = { id: 1, uri: document.uri.toString(), version: document.version, reason: 'model', more: 0 } as const;
  const newText = `${'first, '.repeat(80)}last`;
  edits.announce({ edit: { ...known, range, oldText, newText } });
  const drawn = JSON.stringify([...editor.decorations.values()]);
  expect(drawn).toContain('…');
  expect(drawn).toContain(newText);
  edits.dispose();
});

it('a click on the status bar item gives the keyboard back to the editor, also at the edit', async () => {
  const document = new FakeDocument('/a.txt', 'one\ntwo');
  const [editor] = fakeUser.open(document);
  if (editor !== undefined) editor.selection = new Selection(1, 0, 1, 0);
  const edits = nextEdits();
  const range = { start: { line: 1, character: 0 }, end: { line: 1, character: 3 } };
  const known = { id: 1, uri: document.uri.toString(), version: document.version, reason: 'repeat', more: 0 } as const;
  edits.announce({ edit: { ...known, range, oldText: 'two', newText: 'TWO' } });
  await fakeUser.click(fakeUser.item);
  expect([document.text, fakeUser.ran]).toEqual(['one\nTWO', ['workbench.action.focusActiveEditorGroup']]);
  edits.dispose();
});

it('the cursor stays with what is typed before VS Code says that the edit is made', async () => {
  const document = new FakeDocument('/a.txt', 'one\ntwo');
  const [editor] = fakeUser.open(document);
  if (editor === undefined) throw new Error('no editor');
  editor.selection = new Selection(1, 0, 1, 0);
  const make = editor.edit.bind(editor);
  editor.edit = async (...parameters) => {
    const isMade = await make(...parameters);
    document.replace(new Range(1, 3, 1, 3), ' and');
    editor.selection = new Selection(1, 7, 1, 7);
    return isMade;
  };
  const edits = nextEdits();
  const range = { start: { line: 1, character: 0 }, end: { line: 1, character: 3 } };
  const known = { id: 1, uri: document.uri.toString(), version: document.version, reason: 'repeat', more: 0 } as const;
  edits.announce({ edit: { ...known, range, oldText: 'two', newText: 'TWO' } });
  await fakeUser.run('inkling.nextEdit.accept');
  expect([document.text, editor.selection.active]).toEqual(['one\nTWO and', { line: 1, character: 7 }]);
  // What was typed is no made edit, so ghost text may follow.
  expect(edits.holdsBack(document as never)).toBe(false);
  edits.dispose();
});

describe('in a document that is read-only', () => {
  let document: FakeDocument;
  let edits: NextEdits;
  let outcomes: string[];
  const announce = () => {
    const range = { start: { line: 1, character: 0 }, end: { line: 1, character: 3 } };
    const { uri, version } = document;
    const known = { id: version, uri: uri.toString(), version, reason: 'repeat', more: 0 } as const;
    edits.announce({ edit: { ...known, range, oldText: 'two', newText: 'TWO' } });
  };

  beforeEach(() => {
    document = new FakeDocument('/work/generated/a.txt', 'one\ntwo\n');
    const [editor] = fakeUser.open(document);
    if (editor !== undefined) editor.selection = new Selection(1, 0, 1, 0);
    outcomes = [];
    edits = new NextEdits({
      mode: () => 'calm',
      report: ({ outcome }) => void outcomes.push(outcome),
      setKeys: () => undefined,
    });
  });
  afterEach(() => edits.dispose());

  it('no edit is shown that Tab would not make', () => {
    announce();
    expect(edits.isShown).toBe(true);
    fakeUser.settings.set('files.readonlyInclude', { 'generated/**': true });
    announce();
    expect(edits.isShown).toBe(false);
    expect(outcomes).toEqual(['shown', 'readOnly']);
  });

  it('an edit that is shown disappears when the settings make its file read-only', () => {
    announce();
    fakeUser.tellConfigured('files');
    expect(outcomes).toEqual(['shown']);
    fakeUser.settings.set('files.readonlyInclude', { 'generated/**': true });
    fakeUser.tellConfigured('files');
    expect(edits.isShown).toBe(false);
    expect(outcomes).toEqual(['shown', 'readOnly']);
  });

  it('an edit fails once, and is shown again after the user could type', async () => {
    document.isReadOnly = true;
    announce();
    await fakeUser.run('inkling.nextEdit.accept');
    expect(fakeUser.notices).toEqual([expect.stringContaining('a.txt cannot be edited.')]);
    expect(outcomes).toEqual(['shown', 'readOnly']);
    announce();
    expect(edits.isShown).toBe(false);
    document.isReadOnly = false;
    document.replace(new Range(2, 0, 2, 0), 'three');
    announce();
    expect(edits.isShown).toBe(true);
  });
});
