/** The middle of the sorted values; of an even number of values the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  if (values.length === 0) throw new Error('no values have no median');
  const sorted = [...values].sort((left, right) => left - right);
  const upper = Math.floor(sorted.length / 2);
  const lower = sorted.length % 2 === 1 ? upper : upper - 1;
  return (sorted[lower]! + sorted[upper]!) / 2;
}

/** @param fraction from 0 to 1, such as 0.9: the smallest value that so many are not above */
export function percentile(values: readonly number[], fraction: number): number {
  if (values.length === 0) throw new Error('no values have no percentile');
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(fraction * sorted.length))]!;
}

export function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
