import type { CursorContext } from '../cursor/cursor-context.js';
import type { CursorSyntax } from '../cursor/cursor-syntax.js';
import type { RecentEdit } from '../request/recent-edits.js';

/** Everything that filters may use. Texts have `\n` line ends. */
export interface FilterInput {
  /** The suggestion so far; it is inserted at the cursor. */
  readonly text: string;
  /** False if a limit cut the text off, rather than the model or a stop rule. */
  readonly finished: boolean;
  readonly cursor: CursorContext;
  /** The cursor in the document, in UTF-16 units. */
  readonly offset: number;
  readonly syntax: CursorSyntax;
  /** The file's path in the prompt; null without one. */
  readonly path: string | null;
  /** In this document, newest first. */
  readonly recentEdits: readonly RecentEdit[];
}

/** Returns the remaining text; an empty one ends the suggestion. Depends on its input only. */
export type SuggestionFilter = (input: FilterInput) => string;
