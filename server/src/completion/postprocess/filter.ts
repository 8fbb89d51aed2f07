import type { TokenConfidence } from '../confidence/confidence-calibration.js';
import type { CursorContext } from '../cursor/cursor-context.js';
import type { CursorSyntax } from '../cursor/cursor-syntax.js';
import type { RecentEdit } from '../request/recent-edits.js';

/** What the model thinks of its own words. */
export interface Confidence extends TokenConfidence {
  /** The least mean that is shown; `thresholdOf` in confidence-calibration.ts gives it. */
  readonly threshold: number;
}

/** All that filters look at. Texts have `\n` line ends. */
export interface FilterInput {
  /** What is left of the suggestion; it goes in at the cursor. */
  readonly text: string;
  /** False where the model was cut off by a limit rather than by its own end or a stop rule. */
  readonly finished: boolean;
  readonly cursor: CursorContext;
  /** Where the cursor is in the document, in UTF-16 units. */
  readonly offset: number;
  readonly syntax: CursorSyntax;
  /** How the prompt named the file; null where it did not. */
  readonly path: string | null;
  /** In this document, newest first. */
  readonly recentEdits: readonly RecentEdit[];
  /** Null where nothing is known of it. */
  readonly confidence: Confidence | null;
  /** Whether the user asked for a suggestion, and rather sees a doubtful one than none. */
  readonly explicit: boolean;
}

/** Returns the text to go on with; an empty one ends the suggestion. Looks at nothing but its input. */
export type SuggestionFilter = (input: FilterInput) => string;
