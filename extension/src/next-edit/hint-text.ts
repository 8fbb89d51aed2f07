import { type NextEdit, t } from '../../../server/protocol/index.js';
import { nameInUri } from '../texts/name-in-uri.js';
import { displayFirstLine, displayText, linesOf } from './display-text.js';
import type { ShownChange } from './shown-change.js';

const LONGEST_CODE = 40;
const LONGEST_NAME = 60;

/**
 * Where the edit is and what it does, in one line of plain text.
 *
 * @param elsewhere names the file or cell of the edit; null for the one that the user sees
 * @param tabGoes Tab goes there now; ghost text has it otherwise
 */
export function hintText(edit: NextEdit, change: ShownChange, elsewhere: string | null, tabGoes: boolean): string {
  const place =
    elsewhere === null
      ? t('line {0}: {1}', change.start.line + 1, describeChange(edit, change))
      : t('{0}, line {1}: {2}', elsewhere, change.start.line + 1, describeChange(edit, change));
  const hint = tabGoes ? t('Tab → {0}', place) : `→ ${place}`;
  return edit.more > 0 ? t('{0} ({1} more)', hint, edit.more) : hint;
}

/**
 * For a screen reader, once: nothing of the drawing is text that it could read.
 *
 * @param elsewhere as for the hint
 */
export function spokenText(
  edit: NextEdit,
  change: ShownChange,
  elsewhere: string | null,
  { isThere, tabActs }: { readonly isThere: boolean; readonly tabActs: boolean },
): string {
  const what = describeChange(edit, change);
  if (isThere) {
    return tabActs
      ? t('Next edit here: {0}. Tab makes it, Escape hides it.', what)
      : t('Next edit here: {0}. Escape hides it.', what);
  }
  const line = change.start.line + 1;
  if (elsewhere === null) {
    return tabActs
      ? t('Next edit in line {0}: {1}. Tab goes there, Escape hides it.', line, what)
      : t('Next edit in line {0}: {1}. Escape hides it.', line, what);
  }
  return tabActs
    ? t('Next edit in {0}, line {1}: {2}. Tab goes there, Escape hides it.', elsewhere, line, what)
    : t('Next edit in {0}, line {1}: {2}. Escape hides it.', elsewhere, line, what);
}

/** As the rest of a sentence, such as: rename to `count`. */
export function describeChange(edit: Pick<NextEdit, 'oldText' | 'newText'>, change: ShownChange): string {
  if (isIdentifier(edit.oldText) && isIdentifier(edit.newText)) {
    return t('rename to `{0}`', displayText(edit.newText, LONGEST_CODE));
  }
  const { oldText, newText } = change;
  if (`${oldText}${newText}`.trim() === '') return t('change blanks');
  // Blanks in place of code are nothing that could be named.
  if (newText.trim() === '') {
    const removed = lineCount(oldText);
    return removed > 1 ? t('remove {0} lines', removed) : t('remove `{0}`', shownCode(oldText));
  }
  const added = lineCount(newText);
  if (oldText === '') return added > 1 ? t('add {0} lines', added) : t('add `{0}`', shownCode(newText));
  if (added > 1 || lineCount(oldText) > 1) return t('change {0} lines', Math.max(added, lineCount(oldText)));
  return t('change to `{0}`', shownCode(newText));
}

/** The name of a document's file, as it can be drawn. */
export function fileName(uri: string): string {
  return displayText(nameInUri(uri), LONGEST_NAME);
}

/** Without the separators of a list, which an inserted argument has with it. */
function shownCode(text: string): string {
  const line = displayFirstLine(text.trim(), LONGEST_CODE);
  const inner = line.replace(/^[\s,;]{1,4}/, '').replace(/[\s,;]{1,4}$/, '');
  return inner === '' ? line : inner;
}

/** Lines with text: a line end before or after them adds none. */
function lineCount(text: string): number {
  return linesOf(text.trim()).length;
}

function isIdentifier(text: string): boolean {
  return /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(text);
}
