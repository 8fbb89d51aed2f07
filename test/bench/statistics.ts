/** The middle of the sorted values; of an even number of values the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  if (values.length === 0) throw new Error('no values have no median');
  const sorted = [...values].sort((left, right) => left - right);
  const upper = Math.floor(sorted.length / 2);
  const lower = sorted.length % 2 === 1 ? upper : upper - 1;
  return (sorted[lower]! + sorted[upper]!) / 2;
}

export function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
