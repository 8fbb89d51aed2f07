/** Edits that leave the prompt at once, so that its start stays the same in between. */
const DROPPED_AT_ONCE = 2;

/**
 * The latest edits, as many as a prompt shows. What a prompt begins with is evaluated only once, so its first edit must
 * not change with every new one.
 *
 * @param edits oldest first
 */
export function steadyWindow<Edit extends { readonly number: number }>(
  edits: readonly Edit[],
  most: number,
): readonly Edit[] {
  const made = (edits.at(-1)?.number ?? -1) + 1;
  const first = DROPPED_AT_ONCE * Math.ceil(Math.max(0, made - most) / DROPPED_AT_ONCE);
  return edits.filter(({ number }) => number >= first);
}
