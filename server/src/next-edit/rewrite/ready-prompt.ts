import type { ModelFacts } from '../../engine/port/model-facts.js';
import { type PromptParts, promptPartsOf, type SpecialTokens, spellingsIn } from '../formats/prompt-parts.js';
import type { RewritePrompt } from '../formats/rewrite-format.js';
import type { RewriteEngine } from './proposal.js';

/** Looks up special tokens of the loaded model, each once. */
export class SpecialTokenIds {
  #facts: ModelFacts | null = null;
  #known = new Map<string, number | null>();

  /** @throws EngineError */
  async of(spellings: readonly string[], facts: ModelFacts, engine: Pick<RewriteEngine, 'tokenize'>) {
    if (this.#facts !== facts) {
      this.#facts = facts;
      this.#known = new Map();
    }
    const known = this.#known;
    for (const spelling of spellings) {
      if (!known.has(spelling)) known.set(spelling, await specialToken(spelling, engine));
    }
    const found = new Map<string, number>();
    for (const spelling of spellings) {
      const token = known.get(spelling);
      if (token !== undefined && token !== null) found.set(spelling, token);
    }
    return found;
  }
}

/** The one token that a spelling stands for where special tokens are parsed, and only there. */
async function specialToken(spelling: string, engine: Pick<RewriteEngine, 'tokenize'>): Promise<number | null> {
  const [token, ...others] = await engine.tokenize(spelling, { parseSpecial: true });
  if (token === undefined || others.length > 0) return null;
  const asText = await engine.tokenize(spelling);
  return asText.length === 1 && asText[0] === token ? null : token;
}

export interface ReadyPrompt extends PromptParts {
  readonly prompt: RewritePrompt;
  readonly tokens: SpecialTokens;
}

/** A prompt as this model's tokens. @throws EngineError */
export async function readyPrompt(
  prompt: RewritePrompt,
  facts: ModelFacts,
  ids: SpecialTokenIds,
  engine: Pick<RewriteEngine, 'tokenize'>,
): Promise<ReadyPrompt> {
  const tokens = await ids.of(spellingsIn(prompt), facts, engine);
  return { prompt, tokens, ...promptPartsOf(prompt, tokens, facts.addBos ? facts.bosToken : null) };
}
