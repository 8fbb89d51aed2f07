import type { CursorContext } from '../cursor-context.js';

export interface GeneratedText {
  readonly text: string;
  /** False where the model was cut off by a limit rather than by its own end or a stop rule. */
  readonly finished: boolean;
}

/** Returns the text to go on with; an empty one ends the suggestion. */
export type SuggestionFilter = (generated: GeneratedText, cursor: CursorContext) => string;
