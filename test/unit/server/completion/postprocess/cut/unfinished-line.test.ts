import { expect, it } from 'vitest';
import { dropUnfinishedLine } from '../../../../../../server/src/completion/postprocess/cut/unfinished-line.js';
import { filterInput } from '../../../../../support/code/filter-input.js';

const DOCUMENT = 'if (a) {║';

it('drops the last of several lines when a limit cut it off', () => {
  expect(dropUnfinishedLine(filterInput(DOCUMENT, '\n  b();\n  c(', { finished: false }))).toBe('\n  b();');
});

it('keeps a single line, however it ended', () => {
  expect(dropUnfinishedLine(filterInput(DOCUMENT, ' b(', { finished: false }))).toBe(' b(');
  expect(dropUnfinishedLine(filterInput(DOCUMENT, '\n  b(', { finished: false }))).toBe('\n  b(');
});

it('keeps everything that ended by itself', () => {
  expect(dropUnfinishedLine(filterInput(DOCUMENT, '\n  b();\n}', { finished: true }))).toBe('\n  b();\n}');
});
