import { expect, it } from 'vitest';
import { instinct } from '../../../../../server/src/next-edit/formats/instinct.js';
import { linesAround } from '../../../../../server/src/next-edit/rewrite/regions.js';
import { QUESTION, spelled } from './questions.js';

it('gets a conversation with the newest edit first', () => {
  const older = { path: 'src/c.ts', line: 1, original: 'a', updated: 'b' };
  const prompt = instinct.promptFor({ ...QUESTION, edits: [older, ...QUESTION.edits] });
  const text = spelled(prompt).replaceAll('\n=== end of section ===\n', '');
  expect(text).toMatch(/^\[\[<\|im_start\|>\]\]system\nYou are Instinct/);
  expect(text.slice(text.indexOf('### Context'))).toBe(`### Context:


### User Edits:

User edited file "src/a.ts"

\`\`\`diff
@@ -3,3 +3,3 @@
-export function sum(a) {
+export function sum(a, b) {
   return a;
 }
\`\`\`
User edited file "src/c.ts"

\`\`\`diff
@@ -1,1 +1,1 @@
-a
+b
\`\`\`

### User Excerpt:
src/b.ts

import { sum } from './a';

[[<|editable_region_start|>]]
const one = [[<|user_cursor_is_here|>]]2;
sum(one);
[[<|editable_region_end|>]]

export {};\`\`\`
### Response:[[<|im_end|>]]
[[<|im_start|>]]assistant
`);
});

it('gets snippets of other files as its context', () => {
  const related = [{ path: 'src/sum.ts', text: 'function sum();\n' }];
  expect(spelled(instinct.promptFor({ ...QUESTION, related }))).toContain(
    '### Context:\n\n=== end of section ===\n[[<|context_file|>]]: src/sum.ts\n[[<|snippet|>]]\nfunction sum();\n\n=== end',
  );
});

it('answers with the region alone', () => {
  const { read } = instinct.promptFor(QUESTION);
  expect(read('const one = 2;\nsum(one);')).toEqual({ kind: 'unchanged' });
  expect(read('const one = 2;\nsum(one, 2);')).toEqual({ kind: 'rewritten', region: 'const one = 2;\nsum(one, 2);\n' });
});

it('has regions of seven lines: one above, and five below', () => {
  const text = Array.from({ length: 40 }, (_, index) => `line ${index + 1}\n`).join('');
  const { start, end } = linesAround(text, text.indexOf('line 20'), instinct.region);
  expect(text.slice(start, end)).toMatch(/^line 19\nline 20\n(?:line 2\d\n){5}$/);
});
