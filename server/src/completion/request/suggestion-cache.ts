import { typedThrough } from '../cursor/typed-through.js';
import { piecesBehind, type ScoredPiece } from './scored-text.js';

/** Where a suggestion was computed. Texts have `\n` line ends. */
export interface SuggestionPlace {
  readonly uri: string;
  /** End of the middle, in UTF-16 units of the document; a selected item's text counts as typed. */
  readonly offset: number;
  /** The text before that place, as far as it was read; `suffix` is the text after it. */
  readonly prefix: string;
  readonly suffix: string;
  /** Everything else that determines the answer: model, settings, context of the prompt. */
  readonly conditions: string;
}

export interface CachedText {
  /** The id under which the suggestion was first shown. */
  readonly id: number;
  readonly text: string;
  /** Whether the text ended by itself. One that a limit cut off can be continued. */
  readonly finished: boolean;
  /** How sure the model was of each piece; null where that is not known. */
  readonly pieces: readonly ScoredPiece[] | null;
  /** Why a filter left nothing of it, as a sentence for the user. */
  readonly hiddenBecause?: string;
}

interface Entry {
  readonly place: SuggestionPlace;
  readonly cached: CachedText;
}

export interface CacheHit extends CachedText {
  /** What the user typed since; `text` no longer contains it. */
  readonly typed: string;
}

const MAX_ENTRIES = 250;
/** Enough to tell two places apart; shorter texts are compared in full. */
const COMPARED_CHARACTERS = 2_000;

/**
 * The latest suggestions, found again where they were made and wherever the user typed along them. Keys contain texts,
 * not positions alone: a suggestion is lost once its surroundings change.
 */
export class SuggestionCache {
  readonly #entries: Entry[] = [];

  get size(): number {
    return this.#entries.length;
  }

  add(place: SuggestionPlace, cached: CachedText): void {
    const kept = trim(place);
    const same = this.#entries.findIndex((entry) => samePlace(entry.place, kept));
    if (same >= 0) this.#entries.splice(same, 1);
    this.#entries.push({ place: kept, cached });
    if (this.#entries.length > MAX_ENTRIES) this.#entries.shift();
  }

  /** The newest suggestion that continues from here with more than blanks; null without one. */
  find(place: SuggestionPlace): CacheHit | null {
    return this.#search(place, (entry) => sameConditions(entry, place));
  }

  /** What an earlier suggestion put here, though other conditions changed: a draft to verify. */
  findDraft(place: SuggestionPlace): string | null {
    return this.#search(place, (entry) => entry.uri === place.uri)?.text ?? null;
  }

  forget(uri: string): void {
    for (let index = this.#entries.length - 1; index >= 0; index--) {
      if (this.#entries[index]?.place.uri === uri) this.#entries.splice(index, 1);
    }
  }

  #search(place: SuggestionPlace, matches: (entry: SuggestionPlace) => boolean): CacheHit | null {
    for (const { place: then, cached } of this.#entries.toReversed()) {
      if (!matches(then)) continue;
      const typed = typedSince(then, place);
      const rest = typed === null ? null : typedThrough(cached.text, typed);
      if (
        typed !== null &&
        rest !== null &&
        (rest.trim() !== '' || (rest === '' && typed === '' && cached.text === ''))
      ) {
        const pieces = cached.pieces && piecesBehind(cached.pieces, cached.text.length - rest.length);
        return { ...cached, text: rest, pieces, typed };
      }
    }
    return null;
  }
}

/**
 * What was typed between two places; null unless the text before the cursor is the earlier one with typed text after
 * it.
 */
export function typedSince(then: SuggestionPlace, now: SuggestionPlace): string | null {
  const length = now.offset - then.offset;
  // The document's line ends may count double, and the editor's indentation replaces the suggestion's.
  if (length < 0 || length > COMPARED_CHARACTERS) return null;
  if (length === 0) return now.prefix.endsWith(prefixEnd(then)) ? '' : null;
  const start = now.prefix.length - length;
  for (let at = Math.max(0, start); at <= now.prefix.length; at++) {
    // Without carriage returns only the first candidate is possible.
    if (now.prefix.endsWith(prefixEnd(then), at)) return now.prefix.slice(at);
    if (!now.prefix.includes('\n', start < 0 ? 0 : start)) return null;
  }
  return null;
}

/** Whether two places differ only in what was typed before them. */
export function sameConditions(left: SuggestionPlace, right: SuggestionPlace): boolean {
  return left.uri === right.uri && left.conditions === right.conditions && tail(left.suffix) === tail(right.suffix);
}

function samePlace(left: SuggestionPlace, right: SuggestionPlace): boolean {
  return (
    left.offset === right.offset &&
    left.uri === right.uri &&
    left.conditions === right.conditions &&
    left.prefix === right.prefix &&
    left.suffix === right.suffix
  );
}

function trim(place: SuggestionPlace): SuggestionPlace {
  return { ...place, prefix: prefixEnd(place), suffix: tail(place.suffix) };
}

function prefixEnd({ prefix }: SuggestionPlace): string {
  return prefix.slice(-COMPARED_CHARACTERS);
}

function tail(suffix: string): string {
  return suffix.slice(0, COMPARED_CHARACTERS);
}
