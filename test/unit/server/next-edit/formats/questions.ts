import { promptPartsOf, type SpecialTokens } from '../../../../../server/src/next-edit/formats/prompt-parts.js';
import type { RewritePrompt, RewriteQuestion } from '../../../../../server/src/next-edit/formats/rewrite-format.js';

/** A function got a parameter; the region calls it. */
export const QUESTION: RewriteQuestion = {
  path: 'src/b.ts',
  related: [],
  edits: [
    {
      path: 'src/a.ts',
      line: 3,
      original: 'export function sum(a) {\n  return a;\n}',
      updated: 'export function sum(a, b) {\n  return a;\n}',
    },
  ],
  firstLine: 12,
  original: 'const one = 1;\nsum(one);\n',
  current: 'const one = 2;\nsum(one);\n',
  cursor: 12,
  above: "import { sum } from './a';\n\n",
  below: '\nexport {};\n',
};

/** The prompt as text, with special tokens spelled in double brackets, and sections ended by a line of its own. */
export function spelled({ sections }: RewritePrompt): string {
  return sections
    .map((section) => section.map((piece) => (typeof piece === 'string' ? piece : `[[${piece.special}]]`)).join(''))
    .join('\n=== end of section ===\n');
}

/** The prompt as one text, as a server that parses special tokens would get it. */
export function joined(prompt: RewritePrompt): string {
  return promptPartsOf(prompt, new Map(), null).parts.join('');
}

export const NO_TOKENS: SpecialTokens = new Map();
