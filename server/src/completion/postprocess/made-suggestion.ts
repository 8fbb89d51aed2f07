import type { ReanchorReason } from '../../../protocol/index.js';
import type { GeneratedMiddle, MiddleQuestion } from '../generation/middle-generation.js';
import type { PostProcessed } from './post-process.js';

export interface MadeSuggestion {
  /** The question that the engine answered. */
  readonly asked: MiddleQuestion;
  readonly generated: GeneratedMiddle;
  readonly processed: PostProcessed;
  readonly reanchored: ReanchorReason | null;
}
