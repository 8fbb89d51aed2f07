import { expect, it } from 'vitest';
import { type ChangeTarget, proposeChange } from '../../../../extension/src/chat/proposed-change.js';

const TEXT = 'class A {\n  one() {}\n  two() {}\n  one() {}\n}\n';
const at = (selectionStart: number, rest: Partial<ChangeTarget> = {}): ChangeTarget => ({
  text: TEXT,
  shown: null,
  wholeFile: false,
  selectionStart,
  selectionEnd: selectionStart,
  ...rest,
});

it('replaces the text that the question showed, at the occurrence nearest to the cursor', () => {
  const shown = '  one() {}\n';
  expect(proposeChange('  uno() {}\n', at(0, { shown }))).toBe(TEXT.replace('one', 'uno'));
  expect(proposeChange('  uno() {}', at(TEXT.length, { shown }))).toBe(
    'class A {\n  one() {}\n  two() {}\n  uno() {}\n}\n',
  );
});

it('is indented like the text that it replaces', () => {
  expect(proposeChange('two() {\n  return 2;\n}', at(0, { shown: '  two() {}' }))).toBe(
    'class A {\n  one() {}\n  two() {\n    return 2;\n  }\n  one() {}\n}\n',
  );
});

it('replaces the selection if the shown text is gone', () => {
  const start = TEXT.indexOf('two');
  expect(proposeChange('dos', at(start, { shown: 'gone', selectionEnd: start + 3 }))).toBe(TEXT.replace('two', 'dos'));
});

it('replaces a file that was shown whole, unless it is only a part of the file', () => {
  expect(proposeChange('class B {\n}\n// end', at(0, { wholeFile: true }))).toBe('class B {\n}\n// end\n');
  expect(proposeChange('// b', at(0, { wholeFile: true }))).toBe(`// b${TEXT}`);
});

it('goes in at the cursor otherwise', () => {
  expect(proposeChange('x', at(TEXT.length))).toBe(`${TEXT}x`);
  expect(proposeChange('x', at(0, { shown: ' \n' }))).toBe(`x${TEXT}`);
});
