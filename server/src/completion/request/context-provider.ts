import type { ContextBlock } from '../../prompt/context-block.js';
import type { DocumentSnapshot } from './completion-request.js';

/** What prompts show of the rest of the project; context/context-service.ts finds it. */
export interface ContextProvider {
  /** Answers at once, and with the same object until there is something else to show. */
  contextFor(document: DocumentSnapshot, offset: number, budgetTokens: number): ContextBlock;
  /** The user looks at a document. */
  visited(uri: string): void;
}
