import type { NextEdit, NextEditMode, Place } from '../../../server/protocol/index.js';
import { linesOf } from './display-text.js';
import { hintText } from './hint-text.js';
import type { ShownChange } from './shown-change.js';

/** What stands in the place of an edit. */
export type Preview =
  /** Text of one line that looks as ghost text. */
  | { readonly kind: 'insertion'; readonly at: Place; readonly text: string }
  /** The old part of a line is marked; the new one stands after it, and is empty for a deletion. */
  | { readonly kind: 'replacement'; readonly start: Place; readonly end: Place; readonly text: string }
  /** Old lines are marked, if there are any; new ones stand beside them. */
  | {
      readonly kind: 'lines';
      /** The first of the old lines; where there are none, the line above the new ones. */
      readonly line: number;
      readonly oldLines: readonly string[];
      readonly newLines: readonly string[];
    };

/** What stands at the end of the cursor's line. */
export interface Hint {
  readonly line: number;
  readonly text: string;
}

export interface Drawing {
  /** Whether the user is at the edit: Tab makes it, and goes there otherwise. */
  readonly isThere: boolean;
  /** Goes to the editors with the edit's file. */
  readonly preview: Preview | null;
  /** Goes to the active editor. */
  readonly hint: Hint | null;
  /** Whether indentation leaves Tab to the edit. */
  readonly takesTab: boolean;
  /** Whether Tab acts on the edit now; otherwise ghost text or a selection may have it. */
  readonly tabActs: boolean;
}

/** What the active editor shows. */
export interface Viewpoint {
  readonly mode: Exclude<NextEditMode, 'off'>;
  /** Names the file or cell of the edit; null where the active editor has it. */
  readonly elsewhere: string | null;
  readonly cursor: Place;
  /** The text of the cursor's line before the cursor. */
  readonly beforeCursor: string;
  /** Whether the user has just come to the edit with Tab. */
  readonly arrived: boolean;
  /** Whether the edit's place is on the screen, in the active editor or another one. */
  readonly visible: boolean;
  /** Whether Tab has another use: it accepts ghost text at the cursor, or indents what is selected. */
  readonly tabIsTaken: boolean;
}

/** @param lineAt the text of a line of the edit's document */
export function drawNextEdit(
  edit: NextEdit,
  change: ShownChange,
  view: Viewpoint,
  lineAt: (line: number) => string,
): Drawing {
  const isThere = isAtEdit(change, view);
  const isPreviewed = isThere || (view.mode === 'eager' && view.visible);
  const takesTab = mayTakeTab(change, view);
  const tabActs = takesTab && !view.tabIsTaken;
  const text = hintText(edit, change, view.elsewhere, tabActs);
  return {
    isThere,
    preview: isPreviewed ? previewOf(change, lineAt) : null,
    hint: isThere ? null : { line: view.cursor.line, text },
    takesTab,
    tabActs,
  };
}

/** On one of its lines. The user who jumped there is on the first of them. */
function isAtEdit({ start, end }: ShownChange, { elsewhere, cursor }: Viewpoint): boolean {
  return elsewhere === null && cursor.line >= start.line && cursor.line <= end.line;
}

/** Where only blanks stand before the cursor, Tab indents, unless the user is at the place or came there by Tab. */
function mayTakeTab(change: ShownChange, view: Viewpoint): boolean {
  if ((view.arrived && isAtEdit(change, view)) || /\S/.test(view.beforeCursor)) return true;
  return view.elsewhere === null && isWithin(view.cursor, change);
}

function isWithin({ line, character }: Place, { start, end }: ShownChange): boolean {
  const isBehindStart = line > start.line || (line === start.line && character >= start.character);
  return isBehindStart && (line < end.line || (line === end.line && character <= end.character));
}

function previewOf({ start, end, oldText, newText }: ShownChange, lineAt: (line: number) => string): Preview {
  if (!oldText.includes('\n') && !newText.includes('\n')) {
    return oldText === ''
      ? { kind: 'insertion', at: start, text: newText }
      : { kind: 'replacement', start, end, text: newText };
  }
  const before = lineAt(start.line).slice(0, start.character);
  const behind = lineAt(end.line).slice(end.character);
  return withoutSharedLines(start.line, linesOf(before + oldText + behind), linesOf(before + newText + behind));
}

/** The lines of both texts that differ. */
function withoutSharedLines(line: number, oldLines: readonly string[], newLines: readonly string[]): Preview {
  const most = Math.min(oldLines.length, newLines.length);
  let above = 0;
  while (above < most && oldLines[above] === newLines[above]) above++;
  let below = 0;
  while (below < most - above && oldLines.at(-1 - below) === newLines.at(-1 - below)) below++;
  const oldPart = oldLines.slice(above, oldLines.length - below);
  const first = line + above;
  return {
    kind: 'lines',
    line: oldPart.length === 0 ? Math.max(0, first - 1) : first,
    oldLines: oldPart,
    newLines: newLines.slice(above, newLines.length - below),
  };
}
