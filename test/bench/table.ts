import type { BenchmarkFields, BenchmarkValue } from './benchmark.js';

/** One line for each field, names and values aligned. */
export function formatTable(fields: BenchmarkFields): string {
  const entries = Object.entries(fields);
  const width = Math.max(0, ...entries.map(([name]) => name.length));
  return entries.map(([name, value]) => `${name.padEnd(width)}  ${formatValue(value)}`).join('\n');
}

function formatValue(value: BenchmarkValue): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'object' ? value.join('  ') : String(value);
}
