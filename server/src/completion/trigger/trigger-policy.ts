import type { Scope } from '../../syntax/syntax.js';
import type { EditKind } from '../cursor/edit-kind.js';
import type { TriggerRefusal } from '../request/completion-outcome.js';
import type { Trigger } from '../request/completion-request.js';

/** Everything that decides whether the engine is asked. */
export interface TriggerFacts {
  readonly trigger: Trigger;
  readonly mode: 'automatic' | 'manual';
  /** Why there are no automatic suggestions in the document's language; null where there are. */
  readonly languageRefusal: 'languageDisabled' | 'languageUnknown' | null;
  /** The syntax at the cursor, as far as it is known. */
  readonly scope: Scope;
  readonly scopeEnabled: boolean;
  /** The document's last change; null without one since it was opened. */
  readonly lastEdit: EditKind | 'undone' | null;
  /** Whether the cursor has moved away since that change. */
  readonly movedSinceEdit: boolean;
  /** Recent cursor moves other than by typing. */
  readonly recentMoves: number;
  readonly linePrefix: string;
  readonly lineSuffix: string;
  readonly selected: boolean;
}

/** With more recent moves the user is looking for a place, not writing. */
const MANY_MOVES = 3;
/** Nobody writes such a line by hand. */
const LONG_LINE_CHARACTERS = 1_000;

const WORD = /^[\p{L}\p{N}_$]/u;

/**
 * Null to go on. Inkling always follows a request by command. What it prepares itself follows a request that was
 * already allowed.
 */
export function refuseTrigger(facts: TriggerFacts): TriggerRefusal | null {
  if (facts.trigger !== 'automatic') return null;
  if (facts.mode === 'manual') return 'manualMode';
  if (facts.languageRefusal !== null) return facts.languageRefusal;
  if (!facts.scopeEnabled) return 'scopeDisabled';
  if (facts.recentMoves > MANY_MOVES) return 'movingCursor';
  // A selected item in the suggest widget asks by itself; the edit before it does not matter.
  if (!facts.selected && !facts.movedSinceEdit) {
    const refusal = refuseAfter(facts.lastEdit);
    if (refusal !== null) return refusal;
  }
  if (WORD.test(facts.lineSuffix)) return 'insideWord';
  if (facts.linePrefix.length + facts.lineSuffix.length > LONG_LINE_CHARACTERS) return 'lineTooLong';
  return null;
}

function refuseAfter(edit: EditKind | 'undone' | null): TriggerRefusal | null {
  switch (edit) {
    case 'undone':
      return 'afterUndo';
    case 'pasted':
      return 'afterPaste';
    case 'deleted':
      return 'afterDeletion';
    case 'replaced':
      return 'afterReplacement';
    case 'typed':
    case 'newLine':
    case 'completed':
    case 'accepted':
    case null:
      return null;
  }
}
