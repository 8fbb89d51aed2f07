import { describe, expect, it } from 'vitest';
import { columnsOf, displayFirstLine, displayText } from '../../../../extension/src/next-edit/display-text.js';
import { describeChange, fileName, hintText, spokenText } from '../../../../extension/src/next-edit/hint-text.js';
import { diffMarkdown } from '../../../../extension/src/next-edit/hover-text.js';
import { type CodeAppearance, previewImage } from '../../../../extension/src/next-edit/preview-image.js';
import { placeAfter, shownChange } from '../../../../extension/src/next-edit/shown-change.js';
import type { NextEdit } from '../../../../server/protocol/index.js';

const START = { line: 41, character: 4 };

function parts(oldText: string, newText: string, part: Partial<NextEdit> = {}) {
  const range = { start: START, end: placeAfter(START, oldText) };
  const edit: NextEdit = {
    id: 1,
    uri: 'file:///w/a.ts',
    version: 1,
    range,
    oldText,
    newText,
    reason: 'repeat',
    more: 0,
    ...part,
  };
  const change = shownChange(edit);
  if (change === null) throw new Error('nothing changes');
  return { edit, change };
}

function describeEdit(oldText: string, newText: string): string {
  const { edit, change } = parts(oldText, newText);
  return describeChange(edit, change);
}

describe('a line of code as it can be drawn', () => {
  it.each([
    ['tabs go to the next stop', 'a\tb\t', 80, 'a   b   '],
    ['line ends, escapes and nulls are marked', 'a\r\nb\u001b[31m\u0000', 80, 'a\uFFFD\uFFFDb\uFFFD[31m\uFFFD'],
    ['characters that reorder or hide text are marked', 'a\u202Eb\u2066\u200B\uFEFF', 80, 'a\uFFFDb\uFFFD\uFFFD\uFFFD'],
    ['letters that have no width are marked', 'a\u{E0061}\u00ADb\u{E0101}\u3164', 80, 'a\uFFFD\uFFFDb\uFFFD\uFFFD'],
    ['an emoji keeps its colour', '❤\uFE0F', 80, '❤\uFE0F'],
    ['an emoji of several stays whole', '👩🏽\u200D💻❤\uFE0F\u200D🔥', 80, '👩🏽\u200D💻❤\uFE0F\u200D🔥'],
    ['a joined word stays whole', 'می\u200Cخواهم क्\u200Dष', 80, 'می\u200Cخواهم क्\u200Dष'],
    ['other joiners are marked', 'a\u200Db\u200Cc👩\u200D', 80, 'a\uFFFDb\uFFFDc👩\uFFFD'],
    ['halves of pairs are marked', 'a\uD83Db', 80, 'a\uFFFDb'],
    ['long text is cut', 'abcdef', 4, 'abc…'],
    ['a pair counts as one', '😀😀😀', 3, '😀😀😀'],
    ['a cut keeps pairs whole', '😀😀😀😀', 3, '😀😀…'],
  ])('%s', (_, text, longest, expected) => {
    expect(displayText(text, longest)).toBe(expected);
  });

  it('a very long one costs no more than what is shown', () => {
    expect(displayText('\t'.repeat(10_000_000), 10)).toHaveLength(10);
    expect(displayFirstLine('\n'.repeat(1_000_000), 10)).toBe('');
  });

  it('ends in no mark for the half of a pair that a cut left', () => {
    expect(displayFirstLine(`${' '.repeat(18)}a😀b`, 10)).toBe('a');
  });

  it('wide characters take two columns', () => {
    expect([columnsOf('abc'), columnsOf('日本'), columnsOf('😀')]).toEqual([3, 4, 2]);
  });
});

describe('what an edit does', () => {
  it.each([
    ['amount', 'total', 'rename to `total`'],
    ['count', 'counter', 'rename to `counter`'],
    ['f(1)', 'f(1, rate)', 'add `rate`'],
    ['f(1)', 'f(rate, 1)', 'add `rate`'],
    ['"a"', '"b"', 'change to `b`'],
    ['a, b', 'a', 'remove `b`'],
    ['a', 'a\r\n  b\r\n  c', 'add 2 lines'],
    ['a\nb\nc', 'c', 'remove 2 lines'],
    ['a(1)\nb(2)', 'c(3)\nd(4)\ne(5)', 'change 3 lines'],
    ['a  b', 'a b', 'change blanks'],
    ['a;b', 'a b', 'remove `;`'],
    ['x()', 'x();', 'add `;`'],
  ])('%j to %j: %s', (oldText, newText, expected) => {
    expect(describeEdit(oldText, newText)).toBe(expected);
  });

  it('is short and plain, whatever the text', () => {
    const hostile = `\u202E${'`'.repeat(50)}$(bug) [x](command:y)`;
    const described = describeEdit('a + 1', `a + ${hostile}`);
    expect(described.length).toBeLessThan(70);
    expect(described).not.toContain('\u202E');
    expect(describeEdit('a', `a ${',;  '.repeat(100_000)}`).length).toBeLessThan(70);
    expect(describeEdit('a + {1}', 'a + {0}')).toBe('change to `0`');
  });
});

describe('hints', () => {
  it('say where, what and how many follow', () => {
    const { edit, change } = parts('amount', 'total', { more: 3, uri: 'vscode-remote://x/w/%E0%A4%A.ts' });
    expect(hintText(edit, change, null, true)).toBe('Tab → line 42: rename to `total` (3 more)');
    expect(hintText(edit, change, fileName(edit.uri), false)).toBe(
      '→ %E0%A4%A.ts, line 42: rename to `total` (3 more)',
    );
    const goes = { isThere: false, tabActs: true };
    expect(spokenText(edit, change, null, goes)).toMatch(/^Next edit in line 42: rename to `total`\. Tab goes there/);
    expect(spokenText(edit, change, fileName(edit.uri), goes)).toMatch(/^Next edit in %E0%A4%A\.ts, line 42:/);
    expect(spokenText(edit, change, null, { isThere: true, tabActs: true })).toMatch(
      /^Next edit here: .* Tab makes it/,
    );
  });

  it('speak of Tab only where it would not indent or accept ghost text', () => {
    const { edit, change } = parts('count', 'total');
    for (const isThere of [true, false]) {
      for (const elsewhere of [null, 'b.ts']) {
        const spoken = spokenText(edit, change, elsewhere, { isThere, tabActs: false });
        expect(spoken).toMatch(/^Next edit .*rename to `total`\. Escape hides it\.$/);
      }
    }
  });

  it('make names of files harmless', () => {
    expect(fileName('file:///w/a%0Ab%E2%80%AEc.ts')).toBe('a\uFFFDb\uFFFDc.ts');
    expect(fileName(`file:///w/${'n'.repeat(300)}`)).toHaveLength(60);
    expect(fileName('vscode-notebook-cell:/w/a%23b.ipynb#W1sZmlsZQ%3D%3D')).toBe('a#b.ipynb');
    expect(fileName('vscode-notebook-cell:Untitled-1.ipynb?jupyter-notebook#W2sdW50')).toBe('Untitled-1.ipynb');
    expect(fileName('untitled:Untitled-1')).toBe('Untitled-1');
  });
});

describe('the diff in the hover', () => {
  it('is one block of code, whatever the lines contain', () => {
    const markdown = diffMarkdown(['```', 'a'], ['````` x', '[y](command:z)', '<img src=x>']);
    const [fence = '', ...rows] = markdown.split('\n');
    expect(fence).toBe('``````diff');
    expect(rows.pop()).toBe('``````');
    expect(rows).toEqual(['- ```', '- a', '+ ````` x', '+ [y](command:z)', '+ <img src=x>']);
  });

  it('has limits, and no line end within a line', () => {
    const many = diffMarkdown(Array<string>(10_000).fill('x\r`'.repeat(1_000)), ['a\nb']);
    expect(many.length).toBeLessThan(20_000);
    expect(many.split('\n').filter((row) => row.startsWith('- '))).toHaveLength(41);
    expect(many).toContain('+ a\uFFFDb');
  });
});

describe('the picture of new lines', () => {
  const LOOK: CodeAppearance = { fontFamily: "'A', monospace", fontSize: 14, lineHeight: 19, tabSize: 4 };
  const svgOf = (lines: readonly string[], look = LOOK): string => {
    const address = previewImage(lines, look, 'dark')?.address ?? '';
    expect(address).toMatch(/^data:image\/svg\+xml;base64,[A-Za-z0-9+/=]+$/);
    return Buffer.from(address.slice(address.indexOf(',') + 1), 'base64')
      .toString('utf8')
      .replaceAll('\u00a0', ' ');
  };

  it('has a row of the editor’s height for each line, without common blanks', () => {
    const image = previewImage(['\tif (a) {', '\t\tb();', '\t}'], LOOK, 'light');
    expect(image?.height).toBe(57);
    const rows = [...svgOf(['\tif (a) {', '\t\tb();', '\t}']).matchAll(/<text [^>]*>([^<]*)<\/text>/g)];
    expect(rows.map(([, row]) => row)).toEqual(['if (a) {', '    b();', '}']);
    expect(previewImage([], LOOK, 'dark')).toBeNull();
  });

  it('escapes code and font, and holds no character that XML forbids', () => {
    const svg = svgOf(['</text><script>alert(1)</script>&"\'', '\u0000\u000B\uFFFE\uD800]]>'], {
      ...LOOK,
      fontFamily: '"/><image href="https://host/x"/>',
    });
    expect(svg).not.toMatch(/<script|<image|\p{Cc}|\p{Cs}|\uFFFE/u);
    expect(svg.match(/<[a-z]+/g)).toEqual(['<svg', '<rect', '<g', '<text', '<text']);
    expect(svg).toContain('&lt;/text&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;&quot;&#39;');
  });

  it('stays small', () => {
    const lines = Array<string>(5_000).fill('&'.repeat(100_000));
    const image = previewImage(lines, LOOK, 'dark');
    expect(image?.height).toBe(12 * 19);
    expect(image?.width).toBeLessThan(1_000);
    expect(image?.address.length).toBeLessThan(16_000);
    expect(svgOf(lines)).toContain('… +4989');
  });

  it('has room for wide characters', () => {
    const width = (line: string) => previewImage([line], LOOK, 'dark')?.width ?? 0;
    expect(width('日本語日本語')).toBe(width('abcdefabcdef'));
  });
});
