import type { DocumentChange } from '../cursor/edit-kind.js';
import type { Suggestion } from '../request/completion-outcome.js';

/**
 * Whether a change does what accepting the whole suggestion does. Editors report it in different ways: as one
 * replacement, or as the smallest difference. A single typed character accepts nothing.
 *
 * @param after the document's text after the change
 */
export function acceptsWhole(
  { start, end, text }: Pick<Suggestion, 'start' | 'end' | 'text'>,
  changes: readonly DocumentChange[],
  after: string,
): boolean {
  const [change, ...others] = changes.filter(({ removed, inserted }) => removed !== inserted);
  if (change === undefined || others.length > 0) return false;
  const { offset, removed, inserted } = change;
  const isInside = offset >= start && offset + inserted.length <= start + text.length;
  const growsAlike = inserted.length - removed.length === text.length - (end - start);
  return inserted.length > 1 && isInside && growsAlike && after.startsWith(text, start);
}
