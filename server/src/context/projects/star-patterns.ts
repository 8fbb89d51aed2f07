/** `@app/*` and what it may stand for, in configuration files that map names to places. */
export interface StarPattern {
  readonly before: string;
  /** After the star; null for a pattern without one, which stands for itself only. */
  readonly after: string | null;
  /** Perhaps with a star. */
  readonly targets: readonly string[];
}

/** Null for one with several stars, which means nothing. */
export function starPattern(pattern: string, targets: readonly string[]): StarPattern | null {
  const [before = '', after = null, ...others] = pattern.split('*', 3);
  return others.length > 0 ? null : { before, after, targets };
}

/** Where a name leads by the best pattern, which decides alone; null if none matches. */
export function starTargets(patterns: readonly StarPattern[], name: string): readonly string[] | null {
  const matching = patterns.filter((pattern) => starOf(pattern, name) !== null);
  matching.sort((left, right) => rank(right) - rank(left));
  const [best] = matching;
  if (best === undefined) return null;
  const star = starOf(best, name) ?? '';
  return best.targets.map((target) => target.replace('*', () => star));
}

/** What the star stands for; null if the pattern does not match. */
function starOf({ before, after }: StarPattern, name: string): string | null {
  if (after === null) return name === before ? '' : null;
  const matches = name.startsWith(before) && name.endsWith(after);
  if (!matches || name.length < before.length + after.length) return null;
  return name.slice(before.length, name.length - after.length);
}

/** A pattern without a star comes first, then the one with the longest start. */
function rank({ before, after }: StarPattern): number {
  return after === null ? Number.POSITIVE_INFINITY : before.length;
}
