/** The middle of the sorted values; the mean of the two middle ones for an even number. */
export function median(values: readonly number[]): number {
  if (values.length === 0) throw new Error('no values have no median');
  const sorted = [...values].sort((left, right) => left - right);
  const upper = Math.floor(sorted.length / 2);
  const lower = sorted.length % 2 === 1 ? upper : upper - 1;
  return (sorted[lower]! + sorted[upper]!) / 2;
}

/** @param fraction from 0 to 1, such as 0.9: returns the smallest value with at least this share at or below it */
export function percentile(values: readonly number[], fraction: number): number {
  if (values.length === 0) throw new Error('no values have no percentile');
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(fraction * sorted.length))]!;
}

export function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
