import { expect, it } from 'vitest';
import { trimSuffixOverlap } from '../../../../../../server/src/completion/postprocess/fit/suffix-overlap.js';
import { filterInput } from '../../../../../support/code/filter-input.js';

it.each([
  ['f(║, b)', 'a, b)', 'a'],
  ['const x = ║;', 'f();', 'f()'],
  ['return ║ + total;', 'sum + total;', 'sum'],
  ['import { ║ } from "fs";', 'readFile } from "fs";', 'readFile'],
  ['f(║, second)', 'first,second)', 'first'],
  ['return ║ + total;', 'sum+total', 'sum'],
  ["import { ║ } from 'fs';", 'readFile} from "fs"', 'readFile'],
])('in %j, cuts %j to %j', (document, text, expected) => {
  expect(trimSuffixOverlap(filterInput(document, text))).toBe(expected);
});

it.each([
  ['const x = f(║)', 'g(1)'],
  ['║name', 'file_name'],
  ['f(║)', 'a, b'],
  ['x = ║', 'a;'],
  ['║total', 'sub_total'],
  ['def ║_init__(self):', 'def _'],
  ['f(║, a)', 'b, aa)'],
])('in %j, leaves %j alone', (document, text) => {
  expect(trimSuffixOverlap(filterInput(document, text))).toBe(text);
});
