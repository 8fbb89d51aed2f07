import { expect, it } from 'vitest';
import { dropUnfinishedLine } from '../../../../../server/src/completion/postprocess/unfinished-line.js';
import { cursorContext } from '../../../../support/cursor-fixture.js';

const cursor = cursorContext('if (a) {║');

it('drops the last of several lines when a limit cut it off', () => {
  expect(dropUnfinishedLine({ text: '\n  b();\n  c(', finished: false }, cursor)).toBe('\n  b();');
});

it('keeps a single line, however it ended', () => {
  expect(dropUnfinishedLine({ text: ' b(', finished: false }, cursor)).toBe(' b(');
  expect(dropUnfinishedLine({ text: '\n  b(', finished: false }, cursor)).toBe('\n  b(');
});

it('keeps everything that ended by itself', () => {
  expect(dropUnfinishedLine({ text: '\n  b();\n}', finished: true }, cursor)).toBe('\n  b();\n}');
});
