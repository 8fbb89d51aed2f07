import type { ContextBlock } from '../../prompt/context-block.js';
import type { DocumentSnapshot } from './completion-request.js';

/** What prompts show of the rest of the project, as context/context-service.ts finds it. */
export interface ContextProvider {
  /**
   * The block that prompts show now, at once. It stays the same object until the context changes.
   *
   * @param offset of the cursor, in UTF-16 units
   * @param budgetTokens the most tokens of the block
   */
  contextFor(document: DocumentSnapshot, offset: number, budgetTokens: number): ContextBlock;
  /** The user looks at a document. */
  visited(uri: string): void;
  /** Whether a document may hold secrets; true until that is known. */
  mayHoldSecrets(uri: string): boolean;
}
