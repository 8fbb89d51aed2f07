import type { BenchmarkFields, BenchmarkScalar, BenchmarkValue } from './benchmark.js';

/** One line for each field, names and values aligned. */
export function formatTable(fields: BenchmarkFields): string {
  const entries = Object.entries(fields).flatMap(([name, value]) => flatten(name, value));
  const width = Math.max(0, ...entries.map(([name]) => name.length));
  return entries.map(([name, value]) => `${name.padEnd(width)}  ${formatValue(value)}`).join('\n');
}

/** The fields of a group get its name in front. */
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
