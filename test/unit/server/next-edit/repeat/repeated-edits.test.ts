import { describe, expect, it } from 'vitest';
import { addedParameter } from '../../../../../server/src/next-edit/repeat/added-parameter.js';
import { RepeatedEdits } from '../../../../../server/src/next-edit/repeat/repeated-edits.js';
import type { SearchedText } from '../../../../../server/src/next-edit/repeat/searched-text.js';
import { LEAST_CHANCE } from '../../../../../server/src/next-edit/repeat/site-odds.js';
import { differingTokens, tokensOf } from '../../../../../server/src/next-edit/repeat/token-difference.js';
import { LexicalSyntax } from '../../../../../server/src/syntax/lexical/lexical-syntax.js';

const URI = 'file:///a.ts';

interface Edit {
  readonly original: string;
  readonly updated: string;
}

function repeated(edits: readonly Edit[]): RepeatedEdits {
  return new RepeatedEdits(
    edits.map((edit) => ({ uri: URI, line: 1, ...edit })),
    () => null,
  );
}

function searchedText(text: string): SearchedText {
  return { uri: URI, languageId: 'typescript', text, syntax: new LexicalSyntax('typescript', text) };
}

/** The text with all edits made that are due in it. */
function applied(edits: readonly Edit[], text: string): string {
  return repeated(edits)
    .in(searchedText(text))
    .filter(({ chance }) => chance >= LEAST_CHANCE)
    .toReversed()
    .reduce((made, { start, end, newText }) => made.slice(0, start) + newText + made.slice(end), text);
}

const RENAMED = { original: 'log(itemCount);\n', updated: 'log(itemsCount);\n' };

describe('a replacement is repeated', () => {
  it('where the same name stands', () => {
    expect(applied([RENAMED], 'if (itemCount > 1) return itemCount;')).toBe('if (itemsCount > 1) return itemsCount;');
  });

  it('not inside other words', () => {
    expect(applied([RENAMED], 'itemCounts + myitemCount + $itemCount + itemCount_')).toBe(
      'itemCounts + myitemCount + $itemCount + itemCount_',
    );
  });

  it('not where it has been made', () => {
    const wrapped = { original: 'throw Failure(reason);\n', updated: 'throw new Failure(reason);\n' };
    expect(applied([wrapped, wrapped], 'throw new Failure(other);')).toBe('throw new Failure(other);');
  });

  it('not once it was taken back, until it is made again', () => {
    const takenBack = { original: RENAMED.updated, updated: RENAMED.original };
    const text = 'use(itemCount, itemsCount);';
    expect(applied([RENAMED, takenBack], text)).toBe(text);
    expect(applied([RENAMED, takenBack, RENAMED], text)).toBe('use(itemsCount, itemsCount);');
    expect(applied([RENAMED, takenBack, RENAMED, takenBack], text)).toBe('use(itemCount, itemCount);');
  });

  it('in strings and imports as well', () => {
    const moved = { original: "import { a } from '../backends';\n", updated: "import { a } from '../concurrency';\n" };
    expect(applied([moved], "import { b } from '../backends';")).toBe("import { b } from '../concurrency';");
  });

  it('for several tokens', () => {
    const edits = [
      { original: '  t.same(a, b)\n', updated: '  t.assert.deepStrictEqual(a, b)\n' },
      { original: '  t.same(c, d)\n', updated: '  t.assert.deepStrictEqual(c, d)\n' },
    ];
    expect(applied(edits, '  t.same(e, f)')).toBe('  t.assert.deepStrictEqual(e, f)');
  });

  it('as a whole where it is a chain of names', () => {
    const edit = { original: "console.log('a');\n", updated: "logger.info('a');\n" };
    const text = "console.log('b');\nconsole.error('c');\nMath.log(3);\n";
    expect(applied([edit, edit, edit, edit], text)).toBe(text.replace('console.log', 'logger.info'));
    expect(repeated([edit]).in(searchedText(text))).toHaveLength(1);
  });

  it('for a value, where it belongs to the same name', () => {
    const edits = [{ original: '  margin: 8px;\n', updated: '  margin: 10px;\n' }];
    const text = '}\n  padding: 8px;\n  font-size: 8px;\n  margin: 8px;\n';
    expect(applied(edits, text)).toBe(text.replace('margin: 8px', 'margin: 10px'));
  });
});

describe('a replacement is not repeated', () => {
  it('where the user left the name as it is', () => {
    const kept = {
      original: 'const one = list;\nconst two = list;\nuse(list, list);\n',
      updated: 'const one = list;\nconst two = list;\nuse(list, sequence);\n',
    };
    expect(applied([kept], 'a list of things')).toBe('a list of things');
  });

  it('after the user has taken it back', () => {
    const back = { original: RENAMED.updated, updated: RENAMED.original };
    expect(repeated([RENAMED, back]).none).toBe(true);
  });

  it('where text was rewritten, and only blanks are in both', () => {
    const rewritten = { original: 'export interface Item {\n  count: number\n', updated: 'const inserted = 1;\n' };
    expect(repeated([rewritten]).none).toBe(true);
  });

  it('for one common word', () => {
    expect(applied([{ original: 'a for b\n', updated: 'a of b\n' }], 'wait for it')).toBe('wait for it');
  });
});

describe('a parameter that was added', () => {
  const added = (original: string, updated: string, languageId = 'typescript') =>
    addedParameter({ uri: URI, line: 1, original, updated }, languageId);

  it.each([
    ['function area(width) {', 'function area(width, height) {', 'area', 'height', 1],
    ['def area(width):', 'def area(width, height):', 'area', 'height', 1],
    ['  def area(self, width):', '  def area(self, width, height):', 'area', 'height', 1],
    ['  area(width: number): number {', '  area(width: number, height: number): number {', 'area', 'height', 1],
    ['function area() {', 'function area(height: number) {', 'area', 'height', 0],
    ['function area(width) {', 'function area(height, width) {', 'area', 'height', 0],
  ])('%s -> %s', (original, updated, functionName, name, index) => {
    expect(added(original, updated)).toMatchObject({ functionName, name, index });
  });

  it.each([
    ['has a default', 'def area(width):', 'def area(width, height=1):'],
    ['is optional', 'function area(width) {', 'function area(width, height?: number) {'],
    ['takes the rest', 'function area(width) {', 'function area(width, ...others) {'],
    ['is an argument', 'area(width);', 'area(width, height);'],
    ['is a word in a comment', '// see area(width)', '// see area(width, height)'],
  ])('calls stay as they are where it %s', (_, original, updated) => {
    expect(added(original, updated)).toBeNull();
  });

  it.each([
    ['private readonly height: number', 'typescript', 'height'],
    ['const std::string &height', 'cpp', 'height'],
    ['int height[]', 'c', 'height'],
    ['final int height', 'java', 'height'],
    ['height int', 'go', 'height'],
    ['mut height: u8', 'rust', 'height'],
  ])('has a name: %s (%s)', (parameter, languageId, name) => {
    expect(added('function area(width) {', `function area(width, ${parameter}) {`, languageId)).toMatchObject({ name });
  });
});

describe('the difference of two texts', () => {
  it.each([
    ['a b c', 'a x c', [['b', 'x']]],
    ['a b c', 'a c', [['b ', '']]],
    ['same', 'same', []],
    ['f(a)', 'f(a, b)', [['', ', b']]],
    [
      'x a y a z',
      'x b y b z',
      [
        ['a', 'b'],
        ['a', 'b'],
      ],
    ],
  ])('%j -> %j', (before, after, expected) => {
    const [old, present] = [tokensOf(before), tokensOf(after)];
    const hunks = differingTokens(old, present).map(({ start, end, newStart, newEnd }) => [
      old.slice(start, end).join(''),
      present.slice(newStart, newEnd).join(''),
    ]);
    expect(hunks).toEqual(expected);
  });

  it('keeps every character in its tokens', () => {
    const text = 'a\r\n\t\tb \u00a0c\u{1f600}\ud800 d\0"e"\n\n';
    expect(tokensOf(text).join('')).toBe(text);
  });
});
