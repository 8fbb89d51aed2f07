import type { ContextBlock } from '../prompt/context-block.js';
import type { ContextCandidate } from './context-source.js';
import { identity, selectSnippets } from './select-snippets.js';

export interface ShownContext {
  readonly uri: string;
  readonly block: ContextBlock;
  readonly chosen: readonly ContextCandidate[];
  readonly budgetTokens: number;
}

export interface BlockInput {
  readonly uri: string;
  readonly candidates: readonly ContextCandidate[];
  readonly budgetTokens: number;
  readonly shownLines: readonly string[];
  readonly repository: string | null;
  readonly languageId: string;
  /** Whether the file of a snippet still contains it, though no source offers it any more. */
  readonly stillHolds: (snippet: ContextCandidate) => boolean;
}

/** The score of a snippet that no source offers any more shrinks by this factor each time. */
const FADING = 0.7;

/** The current context block of each open document. Blocks are frozen; a change creates a new one. */
export class ContextBlocks {
  readonly #shown = new Map<string, ShownContext>();

  get(key: string): ShownContext | null {
    return this.#shown.get(key) ?? null;
  }

  /** Chooses again and keeps what may stay. The same choice returns the same block. */
  show(key: string, input: BlockInput): ShownContext {
    const before = this.get(key);
    const previous = before?.chosen ?? [];
    const offered = new Set(input.candidates.map(identity));
    const fading = previous
      .filter((snippet) => !offered.has(identity(snippet)) && input.stillHolds(snippet))
      .map((snippet) => ({ ...snippet, score: snippet.score * FADING }));
    const chosen = selectSnippets({ ...input, previous, candidates: [...input.candidates, ...fading] });
    const shown = this.#sameAs(before, chosen, input)
      ? { ...before, chosen, budgetTokens: input.budgetTokens }
      : { uri: input.uri, block: blockOf(chosen, input), chosen, budgetTokens: input.budgetTokens };
    this.#shown.set(key, shown);
    return shown;
  }

  /**
   * Removes what came from a file that may no longer be shown.
   * @returns URIs of the documents that showed it
   */
  revoke(fileKey: string): readonly string[] {
    const affected = [...this.#shown].filter(([, { chosen }]) => chosen.some((snippet) => snippet.fileKey === fileKey));
    for (const [key, shown] of affected) {
      const chosen = shown.chosen.filter((snippet) => snippet.fileKey !== fileKey);
      this.#shown.set(key, { ...shown, chosen, block: blockOf(chosen, shown.block) });
    }
    return affected.map(([, { uri }]) => uri);
  }

  delete(key: string): void {
    this.#shown.delete(key);
  }

  /** @returns URIs of the documents that showed something */
  clear(): readonly string[] {
    const uris = [...this.#shown.values()].map(({ uri }) => uri);
    this.#shown.clear();
    return uris;
  }

  #sameAs(
    before: ShownContext | null,
    chosen: readonly ContextCandidate[],
    { repository, languageId }: BlockInput,
  ): before is ShownContext {
    return (
      before !== null &&
      before.block.repository === repository &&
      before.block.languageId === languageId &&
      before.chosen.length === chosen.length &&
      chosen.every((snippet, index) => identity(snippet) === identity(before.chosen[index] ?? snippet))
    );
  }
}

function blockOf(
  chosen: readonly ContextCandidate[],
  { repository, languageId }: Pick<ContextBlock, 'repository' | 'languageId'>,
): ContextBlock {
  const snippets = chosen.map(({ path, text, why }) => Object.freeze({ path, text, why }));
  return Object.freeze({ repository, languageId, snippets: Object.freeze(snippets) });
}
