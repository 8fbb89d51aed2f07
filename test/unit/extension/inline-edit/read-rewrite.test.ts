import { describe, expect, it } from 'vitest';
import { longestAnswer, readRewrite } from '../../../../extension/src/inline-edit/read-rewrite.js';

const PART = '  total(): number {\n    return 1;\n  }';
const NEW = '  total(): number {\n    return 2;\n  }';
const lines = (text: string) => ({ kind: 'lines', lines: text.split('\n') });

describe('readRewrite', () => {
  it.each([
    ['a block', `\`\`\`ts\n${NEW}\n\`\`\``],
    ['a block with words around it', `Here it is:\n\n\`\`\`\n${NEW}\n\`\`\`\nThis returns 2.`],
    ['a block without its end', `\`\`\`ts\n${NEW}`],
    ['a block with another fence', `~~~\n${NEW}\n~~~`],
    ['a block with Windows line ends', `\`\`\`ts\n${NEW}\n\`\`\``.replaceAll('\n', '\r\n')],
    ['a block without the indentation', `\`\`\`ts\n${NEW.replaceAll(/^ {2}/gm, '')}\n\`\`\``],
    ['code without a block', NEW],
    ['several blocks, of which one is like the part', `\`\`\`sh\nnpm test\n\`\`\`\n\`\`\`ts\n${NEW}\n\`\`\``],
  ])('reads %s', (_name, answer) => {
    expect(readRewrite(answer, PART)).toEqual(lines(NEW));
  });

  it('keeps a shorter fence inside a longer one', () => {
    const part = 'Text\n```ts\na\n```';
    const rewritten = part.replace('a\n', 'b\n');
    expect(readRewrite(`\`\`\`\`md\n${rewritten}\n\`\`\`\``, part)).toEqual(lines(rewritten));
  });

  it('writes into a blank line, and removes all lines if the block is empty', () => {
    expect(readRewrite('```ts\nconst a = 1;\n```', '  ')).toEqual(lines('  const a = 1;'));
    expect(readRewrite('```\n```', PART)).toEqual({ kind: 'lines', lines: [] });
  });

  it.each([
    ['blank lines around a part', `\n${PART}\n  \n`],
    ['one after it', `${PART}\n`],
  ])('keeps %s, which models leave out', (_name, part) => {
    const blanks = part.split(PART);
    expect(readRewrite(`\`\`\`ts\n${NEW}\n\`\`\``, part)).toEqual(lines(blanks.join(NEW)));
    expect(readRewrite(`\`\`\`ts\n\n\n${NEW}\n\n\`\`\``, part)).toEqual(lines(blanks.join(NEW)));
    expect(readRewrite(`\`\`\`ts\n${PART}\n\`\`\``, part)).toEqual({ kind: 'unchanged' });
    expect(readRewrite('```\n```', part)).toEqual({ kind: 'lines', lines: [] });
  });

  it('ends a line at a carriage return alone, as editors do', () => {
    expect(readRewrite('```ts\na();\rb();\r\nc();\n```', 'x();')).toEqual(lines('a();\nb();\nc();'));
  });

  it.each([
    ['noCode', 'I cannot do that.'],
    ['noCode', ''],
    ['unchanged', `\`\`\`ts\n${PART}\n\`\`\``],
    ['leavesOut', '```ts\n  total(): number {\n    // ... existing code\n  }\n```'],
    ['tooLong', 'x'.repeat(longestAnswer(PART) + 1)],
  ])('is %s for another answer', (kind, answer) => {
    expect(readRewrite(answer, PART)).toEqual({ kind });
  });

  it('accepts the mark of left out code where the part itself has it', () => {
    const part = '// ...\na();';
    expect(readRewrite('```\n// ...\nb();\n```', part)).toEqual(lines('// ...\nb();'));
  });
});
