import { beforeEach, describe, expect, it } from 'vitest';
import { EditHistory } from '../../../../server/src/next-edit/history/edit-history.js';
import { EditedText } from './editor.js';

const LINES = ['one', 'two', 'three', 'four', 'five', 'six', 'seven'].join('\n');

let document: EditedText;
let history: EditHistory;

beforeEach(() => {
  document = new EditedText('file:///a.ts', LINES);
  history = new EditHistory((uri) => (uri === document.uri ? document.getText() : null));
});

const replace = (wanted: string, by: string) => history.edited(document.uri, [document.replace(wanted, by)]);

describe('an edit', () => {
  it('is told with two unchanged lines on each side', () => {
    replace('four', 'FOUR');
    expect(history.recent()).toMatchObject([
      { uri: document.uri, line: 2, original: 'two\nthree\nfour\nfive\nsix', updated: 'two\nthree\nFOUR\nfive\nsix' },
    ]);
  });

  it('is told with no half of a pair where its lines are cut', () => {
    const emoji = '\u{1F600}'.repeat(400);
    for (const [before, behind] of [
      ['', 'x'],
      ['x', ''],
    ]) {
      document = new EditedText('file:///a.ts', `${emoji}${before}four${behind}${emoji}`);
      history = new EditHistory(() => document.getText());
      replace('four', 'FOUR');
      const [edit] = history.recent();
      expect(edit).toMatchObject({ updated: expect.stringContaining('FOUR') });
      expect([edit?.original.isWellFormed(), edit?.updated.isWellFormed()]).toEqual([true, true]);
    }
  });

  it('is one, however many keys it takes', () => {
    const start = LINES.indexOf('four');
    history.edited(document.uri, [document.change({ offset: start, removed: 'four', inserted: '' })]);
    for (const [index, key] of [...'4th'].entries()) {
      history.edited(document.uri, [document.change({ offset: start + index, removed: '', inserted: key })]);
    }
    expect(history.recent()).toMatchObject([
      { original: 'two\nthree\nfour\nfive\nsix', updated: 'two\nthree\n4th\nfive\nsix' },
    ]);
  });

  it('takes in a change close above or below', () => {
    replace('four', 'FOUR');
    replace('five', 'FIVE');
    replace('three', 'THREE');
    expect(history.recent()).toMatchObject([
      { original: 'one\ntwo\nthree\nfour\nfive\nsix\nseven', updated: 'one\ntwo\nTHREE\nFOUR\nFIVE\nsix\nseven' },
    ]);
  });

  it('is another where lines lie between', () => {
    replace('one', 'ONE');
    replace('seven', 'SEVEN');
    expect(history.recent().map(({ updated }) => updated)).toEqual(['ONE\ntwo\nthree', 'five\nsix\nSEVEN']);
  });

  it('that ends as it began is none', () => {
    replace('four', 'FOUR');
    replace('FOUR', 'four');
    expect(history.recent()).toEqual([]);
  });

  it('joins text that overlaps it on both sides', () => {
    replace('four', 'FOUR');
    replace('ee\nFOUR\nfi', '-');
    expect(history.recent()).toMatchObject([
      { original: 'one\ntwo\nthree\nfour\nfive\nsix\nseven', updated: 'one\ntwo\nthr-ve\nsix\nseven' },
    ]);
  });

  it('of several places at once is one for each', () => {
    const changes = [document.replace('six', 'SIX'), document.replace('one', 'the first')];
    history.edited(document.uri, changes);
    expect(history.recent().map(({ updated }) => updated)).toEqual(['four\nfive\nSIX\nseven', 'the first\ntwo\nthree']);
  });
});

describe('an edit that is finished by a change above it', () => {
  const FAR = `${'line\n'.repeat(20)}print(itemCount);\n`;

  beforeEach(() => {
    document = new EditedText('file:///a.ts', FAR);
    replace('itemCount', 'total');
  });

  it.each([
    ['an insertion', [{ offset: 0, removed: '', inserted: 'x' }]],
    ['a deletion', [{ offset: 0, removed: 'line\n', inserted: '' }]],
    ['a replacement', [{ offset: 5, removed: 'line', inserted: 'a longer line' }]],
    [
      'two at once',
      [
        { offset: 10, removed: 'line', inserted: 'a' },
        { offset: 0, removed: 'line', inserted: 'b' },
      ],
    ],
  ])('%s, is told as it was made', (_name, changes) => {
    history.edited(
      document.uri,
      changes.map((change) => document.change(change)),
    );
    expect(history.recent()[0]).toMatchObject({
      original: 'line\nline\nprint(itemCount);\n',
      updated: 'line\nline\nprint(total);\n',
    });
  });

  it('is forgotten where that overwrites a part of it', () => {
    replace(document.getText().slice(0, FAR.indexOf('itemCount') + 2), 'x'.repeat(3_000));
    expect(history.recent()).toEqual([]);
  });
});

describe('an edit at several cursors', () => {
  beforeEach(() => {
    document = new EditedText('file:///a.ts', 'f(itemCount, itemCount)\n');
  });

  it('is one for each, in the order of VS Code, which starts at the end', () => {
    history.edited(document.uri, [document.replace('itemCount', 't', 1), document.replace('itemCount', 't')]);
    expect(history.recent()).toMatchObject([
      { original: 'f(t, itemCount)\n', updated: 'f(t, t)\n' },
      { original: 'f(itemCount, t)\n', updated: 'f(t, t)\n' },
    ]);
  });

  it('is one for each, in the order of the text', () => {
    history.edited(document.uri, [document.replace('itemCount', 't'), document.replace('itemCount', 't')]);
    expect(history.recent()).toMatchObject([
      { original: 'f(itemCount, t)\n', updated: 'f(t, t)\n' },
      { original: 'f(t, itemCount)\n', updated: 'f(t, t)\n' },
    ]);
  });

  /** One key at each cursor, told from the end of the text as VS Code does. */
  const key = (removed: string, inserted: string, offsets: readonly number[]) =>
    history.edited(
      document.uri,
      offsets.toReversed().map((offset) => document.change({ offset, removed, inserted })),
    );

  it('is one for each, however many keys it takes', () => {
    document = new EditedText('file:///a.ts', 'f(count, count)\n');
    key('count', 's', [2, 9]);
    key('', 'u', [3, 6]);
    key('', 'm', [4, 8]);
    expect(history.recent()).toMatchObject([
      { number: 0, original: 'f(sum, count)\n', updated: 'f(sum, sum)\n' },
      { number: 1, original: 'f(count, sum)\n', updated: 'f(sum, sum)\n' },
    ]);
  });

  it('goes on at the one that is left', () => {
    document = new EditedText('file:///a.ts', 'f(count, count)\n');
    key('count', 's', [2, 9]);
    key('', 'u', [3]);
    key('', 'm', [4]);
    expect(history.recent()).toMatchObject([
      { number: 0, original: 'f(su, count)\n' },
      { number: 1, original: 'f(count, s)\n', updated: 'f(sum, s)\n' },
    ]);
  });

  it('is another where the cursors have moved', () => {
    document = new EditedText('file:///a.ts', 'f(count, count, other, other)\n');
    key('count', 's', [2, 9]);
    key('other', 't', [8, 15]);
    expect(history.recent().map(({ original }) => original)).toEqual([
      'f(s, count, t, t)\n',
      'f(count, s, t, t)\n',
      'f(s, s, t, other)\n',
      'f(s, s, other, t)\n',
    ]);
  });

  it('is none for the indentation that the editor removes from an empty line', () => {
    document = new EditedText('file:///a.ts', '{\n    \n}\n');
    const enter = document.change({ offset: 6, removed: '', inserted: '\n    ' });
    history.edited(document.uri, [enter, document.change({ offset: 2, removed: '    ', inserted: '' })]);
    expect(history.recent()).toMatchObject([{ original: '{\n\n}\n', updated: '{\n\n    \n}\n' }]);
  });
});

describe('the history forgets', () => {
  it('what was undone', () => {
    replace('one', 'ONE');
    replace('seven', 'SEVEN');
    history.undone(document.uri);
    expect(history.recent()).toEqual([]);
  });

  it('closed documents', () => {
    replace('one', 'ONE');
    history.closed(document.uri);
    expect(history.recent()).toEqual([]);
  });

  it('all but the latest edits', () => {
    for (let round = 0; round < 20; round++) {
      replace(round === 0 ? 'one' : `first${round - 1}`, `first${round}`);
      replace(round === 0 ? 'seven' : `last${round - 1}`, `last${round}`);
    }
    expect(history.recent()).toHaveLength(32);
    expect(history.recent().at(-1)?.updated).toContain('last19');
  });

  it('what nobody types: large pastes, and changes of many places', () => {
    history.edited(document.uri, [document.replace('four', 'x'.repeat(5_000))]);
    expect(history.recent()).toEqual([]);
    const places = Array.from({ length: 100 }, () => document.change({ offset: 0, removed: '', inserted: 'a' }));
    history.edited(document.uri, places);
    expect(history.recent()).toEqual([]);
  });
});

it('keeps only the surroundings of a change in an endless line', () => {
  document = new EditedText('file:///a.ts', `${'a'.repeat(100_000)}=b;${'c'.repeat(100_000)}`);
  replace('=b;', '=d;');
  expect(history.recent()[0]?.updated.length).toBeLessThan(1_100);
});
