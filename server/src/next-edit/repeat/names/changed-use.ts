import { presentOffset } from '../edited-place.js';
import type { Replacement } from '../replacement.js';
import { isPartOf, type SearchedText } from '../searched-text.js';
import { wordsIn } from '../sites.js';

/**
 * Whether a replacement changed uses of a variable that their file still declares: its other uses are right as they are,
 * and in other files the name means something else.
 */
export function isChangedUse(
  { from, to, made }: Replacement,
  documentOf: (uri: string) => SearchedText | null,
): boolean {
  const [name = ''] = from;
  if (from.length !== 1) return false;
  return made.every(({ edit, offset: start }) => {
    const document = documentOf(edit.uri);
    if (document === null) return false;
    const offset = presentOffset(edit, start, start + to.join('').length, document.text);
    const at = offset === null ? null : document.syntax.nameAt(offset);
    if (offset === null || at === null || at === 'none' || at.declaredIn !== null) return false;
    if (at.as === 'member' || isPartOf(document.text, offset)) return false;
    return wordsIn(document.text, name).some((each) => {
      const other = document.syntax.nameAt(each);
      if (other === null || other === 'none' || other.declaredIn === null || other.isImport) return false;
      return other.as !== 'member' && at.scopes.includes(other.declaredIn);
    });
  });
}
