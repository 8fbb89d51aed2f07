import { describe, expect, it } from 'vitest';
import { addedParameter, callsLacking } from '../../../../server/src/next-edit/repeat/added-parameter.js';
import { RepeatedEdits } from '../../../../server/src/next-edit/repeat/repeated-edits.js';
import { differingTokens, tokensOf } from '../../../../server/src/next-edit/repeat/token-difference.js';

/** The text with all edits made that are due in it. */
function applied(edits: readonly { readonly original: string; readonly updated: string }[], text: string): string {
  return new RepeatedEdits(edits)
    .in(text)
    .toReversed()
    .reduce((made, { start, end, newText }) => made.slice(0, start) + newText + made.slice(end), text);
}

const RENAMED = { original: 'const itemCount = 1;\n', updated: 'const total = 1;\n' };

describe('a replacement is repeated', () => {
  it('where the same name stands', () => {
    expect(applied([RENAMED], 'if (itemCount > 1) return itemCount;')).toBe('if (total > 1) return total;');
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
    const text = 'use(itemCount, total);';
    expect(applied([RENAMED, takenBack], text)).toBe(text);
    expect(applied([RENAMED, takenBack, RENAMED], text)).toBe('use(total, total);');
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
    expect(new RepeatedEdits([RENAMED, back]).none).toBe(true);
  });

  it('for one common word', () => {
    expect(applied([{ original: 'a for b\n', updated: 'a of b\n' }], 'wait for it')).toBe('wait for it');
  });
});

describe('a parameter that was added', () => {
  const added = (original: string, updated: string) => addedParameter({ original, updated });

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

  it('is due in calls with as many arguments as before', () => {
    const parameter = added('function area(width) {', 'function area(width, height) {');
    if (parameter === null) throw new Error('no parameter was found');
    const text = "area(1); area(f(2, ')')); area(1, 2); myarea(1); area(); function area(width) {}";
    const made = callsLacking(parameter, text).toReversed();
    expect(made.reduce((all, { start, end, newText }) => all.slice(0, start) + newText + all.slice(end), text)).toBe(
      "area(1, height); area(f(2, ')'), height); area(1, 2); myarea(1); area(); function area(width) {}",
    );
  });

  it('goes in front where it was put in front', () => {
    const edit = { original: 'function area(width) {\n', updated: 'function area(height, width) {\n' };
    expect(applied([edit], 'area( 1)')).toBe('area( height, 1)');
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
