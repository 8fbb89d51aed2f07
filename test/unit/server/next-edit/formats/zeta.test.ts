import { describe, expect, it } from 'vitest';
import { zeta1 } from '../../../../../server/src/next-edit/formats/zeta-1.js';
import { zeta2 } from '../../../../../server/src/next-edit/formats/zeta-2.js';
import { blockStarts, zeta21 } from '../../../../../server/src/next-edit/formats/zeta-2-1.js';
import { joined, QUESTION, spelled } from './questions.js';

const DIFF = `@@ -3,3 +3,3 @@
-export function sum(a) {
+export function sum(a, b) {
   return a;
 }
`;

describe('Zeta 1', () => {
  it('gets diffs, then the excerpt with its marks', () => {
    const text = joined(zeta1.promptFor(QUESTION));
    expect(text).toMatch(/^### Instruction:\n.*\n\n### User Edits:\n\n/);
    expect(text.slice(text.indexOf('### User Edits'))).toBe(`### User Edits:

User edited "src/a.ts":
\`\`\`diff
${DIFF}
\`\`\`

### User Excerpt:

\`\`\`src/b.ts
import { sum } from './a';

<|editable_region_start|>
const one = <|user_cursor_is_here|>2;
sum(one);
<|editable_region_end|>

export {};
\`\`\`

### Response:
`);
  });

  it('is told where the file starts', () => {
    expect(joined(zeta1.promptFor({ ...QUESTION, firstLine: 3 }))).toContain('```src/b.ts\n<|start_of_file|>\nimport');
    expect(joined(zeta1.promptFor(QUESTION))).not.toContain('start_of_file');
  });

  it('repeats the marks in its answer, or not', () => {
    const { read, silent } = zeta1.promptFor(QUESTION);
    expect(read(silent)).toEqual({ kind: 'unchanged' });
    expect(read('const one = 2;\nsum(one);')).toEqual({ kind: 'unchanged' });
    const answer =
      '<|editable_region_start|>\nconst one = 2;\nsum(one, <|user_cursor_is_here|>2);\n<|editable_region_end|>';
    expect(read(answer)).toEqual({ kind: 'rewritten', region: 'const one = 2;\nsum(one, 2);\n' });
    expect(read('<|editable_region_end|>\n<|editable_region_start|>\n')).toMatchObject({ kind: 'damaged' });
  });
});

describe('Zeta 2', () => {
  it('gets snippets of other files before the edits', () => {
    const related = [{ path: 'src/sum.ts', text: 'function sum();\n' }];
    const before = spelled(zeta2.promptFor({ ...QUESTION, related })).split('[[<filename>]]edit_history')[0];
    expect(before).toBe(`[[<[fim-suffix]>]]
export {};
[[<[fim-prefix]>]]
=== end of section ===
[[<filename>]]src/sum.ts
function sum();


=== end of section ===
`);
  });

  it('gets the text behind the region first, and the region in a conflict', () => {
    expect(spelled(zeta2.promptFor(QUESTION)).replaceAll('\n=== end of section ===\n', '')).toBe(`[[<[fim-suffix]>]]
export {};
[[<[fim-prefix]>]][[<filename>]]edit_history
--- a/src/a.ts
+++ b/src/a.ts
${DIFF}
[[<filename>]]src/b.ts
import { sum } from './a';

<<<<<<< CURRENT
const one = [[<|user_cursor|>]]2;
sum(one);
=======
[[<[fim-middle]>]]`);
  });

  it('has a line feed where nothing follows the region', () => {
    expect(joined(zeta2.promptFor({ ...QUESTION, below: '' }))).toMatch(/^<\[fim-suffix\]>\n<\[fim-prefix\]>/);
  });

  it('answers with the region, or says that there is no edit', () => {
    const { read, silent } = zeta2.promptFor(QUESTION);
    expect(read(silent)).toEqual({ kind: 'unchanged' });
    expect(read('NO_EDITS\n>>>>>>> UPDATED\n')).toEqual({ kind: 'unchanged' });
    expect(read(QUESTION.current)).toEqual({ kind: 'unchanged' });
    expect(read('const one = 2;\nsum(one, 2);\n>>>>>>> UPDATED\nmore')).toEqual({
      kind: 'rewritten',
      region: 'const one = 2;\nsum(one, 2);\n',
    });
  });
});

describe('Zeta 2.1', () => {
  const lines = (count: number, from = 1) =>
    Array.from({ length: count }, (_, index) => `line${index + from}();\n`).join('');

  it('cuts regions behind blank lines after 6 lines, and after 16 in any case', () => {
    const text = `${lines(6)}\n${lines(7, 7)}`;
    expect(blockStarts(text)).toEqual([0, text.indexOf('line7'), text.length]);
    // A block of fewer than six lines is none.
    const short = `${lines(6)}\n${lines(5, 7)}`;
    expect(blockStarts(short)).toEqual([0, short.length]);
    const long = lines(20);
    expect(blockStarts(long)).toEqual([0, long.indexOf('line17'), long.length]);
  });

  it('moves a cut to a line that begins something', () => {
    const text = `${lines(16)}}\nreturn;\n${lines(4, 17)}`;
    expect(blockStarts(text)[1]).toBe(text.indexOf('line17'));
  });

  it('gets the region with numbered markers', () => {
    const current = `${lines(6)}\n${lines(6, 7)}`;
    const { sections, silent } = zeta21.promptFor({ ...QUESTION, current, cursor: current.indexOf('line7') + 2 });
    const last = sections
      .at(-1)
      ?.map((piece) => (typeof piece === 'string' ? piece : piece.special))
      .join('');
    expect(last).toContain(`<|marker_1|>${lines(6)}\n<|marker_2|>li<|user_cursor|>ne7();`);
    expect(last).toMatch(/<\|marker_3\|>\n<\[fim-middle\]>$/);
    expect(silent).toBe('<|marker_2|><|marker_2|>');
  });

  it('answers with the blocks between two markers', () => {
    const current = `${lines(6)}\n${lines(6, 7)}`;
    const { read, silent } = zeta21.promptFor({ ...QUESTION, current });
    expect(read(silent)).toEqual({ kind: 'unchanged' });
    expect(read(`<|marker_2|>${lines(5, 7)}<|marker_3|>`)).toEqual({
      kind: 'rewritten',
      region: `${lines(6)}\n${lines(5, 7)}`,
    });
    const inner = `<|marker_1|>first();\n<|marker_2|>second();\n<|marker_3|><[end▁of▁sentence]>`;
    expect(read(inner)).toEqual({ kind: 'rewritten', region: 'first();\nsecond();\n' });
  });

  it.each([
    ['without markers', 'text', 'noMarkers'],
    ['with one', '<|marker_1|>text', 'noMarkers'],
    ['with one that the region lacks', '<|marker_1|>text<|marker_9|>', 'wrongMarkers'],
    ['with the last one first', '<|marker_2|>text<|marker_1|>', 'wrongMarkers'],
    ['with a number of many digits', `<|marker_1|>text<|marker_${'9'.repeat(400)}|>`, 'noMarkers'],
  ])('is damaged %s', (_, answer, why) => {
    expect(zeta21.promptFor(QUESTION).read(answer)).toEqual({ kind: 'damaged', why });
  });

  it('reads hostile answers in linear time', () => {
    const { read } = zeta21.promptFor(QUESTION);
    expect(read('<|marker_1|>'.repeat(50_000))).toEqual({ kind: 'unchanged' });
    expect(read('<|marker_'.repeat(50_000))).toMatchObject({ kind: 'damaged' });
  });
});
