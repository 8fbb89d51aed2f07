import type { Scope } from '../../syntax/syntax.js';
import type { EditKind } from '../cursor/edit-kind.js';
import type { TriggerRefusal } from '../request/completion-outcome.js';
import type { Trigger } from '../request/completion-request.js';

/** All that decides whether the engine is asked at all. */
export interface TriggerFacts {
  readonly trigger: Trigger;
  readonly mode: 'automatic' | 'manual';
  readonly languageEnabled: boolean;
  /** What the cursor stands in, as far as the syntax is known. */
  readonly scope: Scope;
  readonly scopeEnabled: boolean;
  /** The document's last change; null where it has not changed since it was opened. */
  readonly lastEdit: EditKind | 'undone' | null;
  /** Whether the cursor has moved elsewhere since that change. */
  readonly movedSinceEdit: boolean;
  /** How often the cursor moved, other than by typing, within the last moments. */
  readonly recentMoves: number;
  readonly linePrefix: string;
  readonly lineSuffix: string;
  readonly selected: boolean;
}

/** More moves than this within a moment: the user is looking for a place, not writing. */
const MANY_MOVES = 3;
/** Nobody writes such a line by hand. */
const LONG_LINE_CHARACTERS = 1_000;

const WORD = /^[\p{L}\p{N}_$]/u;

/**
 * Null to go on. Asked for explicitly, Inkling always tries; what it prepares by itself follows a request that was
 * already allowed.
 */
export function refuseTrigger(facts: TriggerFacts): TriggerRefusal | null {
  if (facts.trigger !== 'automatic') return null;
  if (facts.mode === 'manual') return 'manualMode';
  if (!facts.languageEnabled) return 'languageDisabled';
  if (!facts.scopeEnabled) return 'scopeDisabled';
  if (facts.recentMoves > MANY_MOVES) return 'movingCursor';
  // The suggest widget's selection asks by itself; what was edited before says nothing about it.
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
