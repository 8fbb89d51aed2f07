/** Lines as a snippet: each with its line end, without blank lines at either end; empty if nothing is left. */
export function excerpt(lines: readonly string[], start: number, end: number): { line: number; text: string } {
  let first = Math.max(0, start);
  let last = Math.min(lines.length, end);
  while (first < last && lines[first]?.trim() === '') first++;
  while (last > first && lines[last - 1]?.trim() === '') last--;
  const text = lines
    .slice(first, last)
    .map((line) => `${line}\n`)
    .join('');
  return { line: first, text };
}
