import { expect, it } from 'vitest';
import { trimSuffixOverlap } from '../../../../../server/src/completion/postprocess/suffix-overlap.js';
import { cursorContext } from '../../../../support/cursor-fixture.js';

it.each([
  ['f(║, b)', 'a, b)', 'a'],
  ['const x = ║;', 'f();', 'f()'],
  ['return ║ + total;', 'sum + total;', 'sum'],
  ['import { ║ } from "fs";', 'readFile } from "fs";', 'readFile'],
])('in %j, cuts %j to %j', (document, text, expected) => {
  expect(trimSuffixOverlap({ text, finished: true }, cursorContext(document))).toBe(expected);
});

it.each([
  ['const x = f(║)', 'g(1)'],
  ['║name', 'file_name'],
  ['f(║)', 'a, b'],
  ['x = ║', 'a;'],
])('in %j, leaves %j alone', (document, text) => {
  expect(trimSuffixOverlap({ text, finished: true }, cursorContext(document))).toBe(text);
});
