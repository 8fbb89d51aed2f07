import type { TokenScore } from '../../engine/port/generation.js';

/** A piece of a text, as one token wrote it. Pieces follow each other and cover the text, but for what a filter added. */
export interface ScoredPiece {
  /** Where the piece ends, in UTF-16 units of the text. */
  readonly end: number;
  /** Natural logarithm of the model's probability of the piece after what stands before it. */
  readonly logProbability: number;
}

/** Enough to find where a filtered text begins in the raw one. */
const COMPARED_CHARACTERS = 32;

/**
 * The pieces of a generated text. Tokens that only write what is typed count for nothing. A token that writes no text
 * of its own, such as the second half of a character, counts with the next one.
 *
 * @returns null where the engine does not tell, or sent what is no probability
 */
export function piecesOf(scores: readonly TokenScore[]): readonly ScoredPiece[] | null {
  const pieces: ScoredPiece[] = [];
  let end = 0;
  let pending = 0;
  for (const { length, logProbability } of scores) {
    if (end === 0 && length <= 0) continue;
    if (!Number.isFinite(logProbability) || logProbability > 0 || !Number.isFinite(length)) return null;
    pending += logProbability;
    if (length <= 0) continue;
    end += length;
    pieces.push({ end, logProbability: pending });
    pending = 0;
  }
  return pieces.length === 0 ? null : pieces;
}

/**
 * The pieces of a text that filters made of a raw one. Filters take away at both ends, change blanks, and may add closing
 * brackets at the end, which count for nothing.
 */
export function alignPieces(raw: string, text: string, pieces: readonly ScoredPiece[]): readonly ScoredPiece[] {
  if (raw === text) return pieces;
  const taken = takenAtStart(raw, text);
  const aligned: ScoredPiece[] = [];
  let rawAt = 0;
  let wanted = -taken;
  let at = 0;
  let passed = 0;
  for (const { end, logProbability } of pieces) {
    for (; rawAt < end && rawAt < raw.length; rawAt++) if (!isBlank(raw[rawAt])) wanted++;
    if (wanted <= 0) continue;
    // Behind as many characters as the raw text has here, blanks aside.
    for (; at < text.length && passed < wanted; at++) if (!isBlank(text[at])) passed++;
    if (isBlank(raw[rawAt - 1])) while (at < text.length && isBlank(text[at])) at++;
    aligned.push({ end: at, logProbability });
    if (at >= text.length) break;
  }
  return aligned;
}

/** How many characters of the raw text, blanks aside, stand before the filtered one. */
function takenAtStart(raw: string, text: string): number {
  const essence = (part: string) => part.replace(/\s+/g, '');
  const start = essence(raw).indexOf(essence(text).slice(0, COMPARED_CHARACTERS));
  return Math.max(0, start);
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t' || character === '\n' || character === '\r';
}

/** The pieces after the first `length` units of a text: what is typed was right, up to the piece that it is in. */
export function piecesBehind(pieces: readonly ScoredPiece[], length: number): readonly ScoredPiece[] {
  return pieces.flatMap(({ end, logProbability }) => (end > length ? [{ end: end - length, logProbability }] : []));
}
