import type { ContextBlock } from '../../prompt/context-block.js';
import type { DocumentSnapshot } from './completion-request.js';

/** What prompts show of the rest of the project, as context/context-service.ts finds it. */
export interface ContextProvider {
  /** Answers at once, and with the same object until the context changes. */
  contextFor(document: DocumentSnapshot, offset: number, budgetTokens: number): ContextBlock;
  /** The user looks at a document. */
  visited(uri: string): void;
  /** Whether a document may hold secrets; so it is as long as nobody knows. */
  mayHoldSecrets(uri: string): boolean;
}
