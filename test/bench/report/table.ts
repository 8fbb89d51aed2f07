import type { BenchmarkFields, BenchmarkScalar, BenchmarkValue } from '../measure/benchmark.js';

/** One line per field, with aligned names and values. */
export function formatTable(fields: BenchmarkFields): string {
  const entries = Object.entries(fields).flatMap(([name, value]) => flatten(name, value));
  const width = Math.max(0, ...entries.map(([name]) => name.length));
  return entries.map(([name, value]) => `${name.padEnd(width)}  ${formatValue(value)}`).join('\n');
}

/** Puts a group's name before its fields. */
function flatten(name: string, value: BenchmarkValue): readonly (readonly [string, BenchmarkScalar])[] {
  if (typeof value !== 'object' || isList(value)) return [[name, value]];
  return Object.entries(value).map(([field, each]) => [`${name}.${field}`, each]);
}

function isList(value: object): value is readonly number[] {
  return Array.isArray(value);
}

function formatValue(value: BenchmarkScalar): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  return typeof value === 'object' ? value.join('  ') : String(value);
}
