/** `Promise.all` for as many items as there may be: so many of them wait for an answer at once. */
export async function someAtATime<T, R>(
  items: readonly T[],
  most: number,
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  for (let at = 0; at < items.length; at += most) {
    for (const result of await Promise.all(items.slice(at, at + most).map(work))) results.push(result);
  }
  return results;
}
