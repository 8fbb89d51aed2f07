import { describe, expect, it } from 'vitest';
import { typedThrough } from '../../../../../server/src/completion/cursor/typed-through.js';

describe('typedThrough', () => {
  it.each([
    ['nothing typed', 'left + right', '', 'left + right'],
    ['some of it', 'left + right', 'left', ' + right'],
    ['all of it', 'left', 'left', ''],
    ['beyond it', 'left', 'left + ', null],
    ['something else', 'left', 'lift', null],
    ['a line break with the same indentation', '{\n  a();\n}', '{\n  ', 'a();\n}'],
    ['a line break that the editor indents deeper', '{\n  a();\n}', '{\n    ', 'a();\n}'],
    ['a line break that the editor indents with a tab', '{\n  a();\n}', '{\n\t', 'a();\n}'],
    ['a line break before the user indents', '{\n  a();\n}', '{\n', '  a();\n}'],
    ['half the indentation', '{\n    a();\n}', '{\n  ', '  a();\n}'],
    ['text on a line indented otherwise', '{\n  a();\n}', '{\n\ta(', ');\n}'],
    ['two lines indented otherwise', 'x\n  a\n  b', 'x\n    a\n    b', ''],
    ['other text after a line break', '{\n  a();\n}', '{\n  b', null],
  ])('%s', (_name, suggested, typed, rest) => {
    expect(typedThrough(suggested, typed)).toBe(rest);
  });
});
