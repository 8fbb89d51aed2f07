import { expect, test } from 'vitest';
import { formatTable } from '../../../bench/report/table.js';

test('a table has one aligned line for each field', () => {
  const table = formatTable({ tps: 12.5, model_name: 'starter', same_output: true, runs: [1, 2.5] });
  expect(table.split('\n')).toEqual([
    'tps          12.5',
    'model_name   starter',
    'same_output  yes',
    'runs         1  2.5',
  ]);
});

test('a table of nothing is empty', () => {
  expect(formatTable({})).toBe('');
});
