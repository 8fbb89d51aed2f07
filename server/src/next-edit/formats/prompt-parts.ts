import type { PromptPiece, RewritePrompt } from './rewrite-format.js';

/** Ids of special tokens by their spelling; a spelling that is none in the model's vocabulary is absent. */
export type SpecialTokens = ReadonlyMap<string, number>;

export interface PromptParts {
  /** Text, which the engine never parses for special tokens, and ids. */
  readonly parts: readonly (string | number)[];
  /** Where sections end, as indices of parts. The last one is the number of parts. */
  readonly sectionBoundaries: readonly number[];
}

/** Every spelling of a special token in a prompt or its answer. */
export function spellingsIn({ sections, spelled }: RewritePrompt): readonly string[] {
  const pieces = sections.flat().flatMap((piece) => (typeof piece === 'string' ? [] : [piece.special]));
  return [...new Set([...pieces, ...spelled])];
}

/** @param bosToken what every prompt of the model begins with; null without one */
export function promptPartsOf(
  { sections }: RewritePrompt,
  tokens: SpecialTokens,
  bosToken: number | null,
): PromptParts {
  const parts: (string | number)[] = bosToken === null ? [] : [bosToken];
  const sectionBoundaries: number[] = [];
  for (const section of sections) {
    const start = parts.length;
    for (const piece of section) addPiece(parts, piece, tokens, start);
    if (parts.length > start) sectionBoundaries.push(parts.length);
  }
  return { parts, sectionBoundaries };
}

/** Joins texts of one section, since words must not be cut where two texts meet. */
function addPiece(parts: (string | number)[], piece: PromptPiece, tokens: SpecialTokens, start: number): void {
  const part = typeof piece === 'string' ? piece : (tokens.get(piece.special) ?? piece.special);
  const last = parts.at(-1);
  if (part === '') return;
  if (typeof part === 'string' && typeof last === 'string' && parts.length > start)
    parts[parts.length - 1] = last + part;
  else parts.push(part);
}
