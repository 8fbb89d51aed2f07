import { typedThrough } from '../cursor/typed-through.js';

/** Where a suggestion was computed. Texts have `\n` line ends. */
export interface SuggestionPlace {
  readonly uri: string;
  /** Of the middle's end, in UTF-16 units of the document; a selected item's text counts as typed. */
  readonly offset: number;
  /** The text before that place, as far as it was looked at; the same for the text behind it. */
  readonly prefix: string;
  readonly suffix: string;
  /** Stands for everything else that determines the answer: model, settings, context of the prompt. */
  readonly conditions: string;
}

export interface CachedText {
  /** Of the suggestion as it was first shown. */
  readonly id: number;
  readonly text: string;
  /** Whether the text ended by itself; one cut off by a limit is worth asking to go on. */
  readonly finished: boolean;
  /** Mean log-probability of the tokens of the whole text; null where that is not known. */
  readonly confidence: number | null;
}

interface Entry {
  readonly place: SuggestionPlace;
  readonly cached: CachedText;
}

export interface CacheHit extends CachedText {
  /** What was typed since, which `text` no longer has. */
  readonly typed: string;
}

const MAX_ENTRIES = 250;
/** Enough to tell two places apart; both sides are compared at their full length up to this. */
const COMPARED_CHARACTERS = 2_000;

/**
 * The latest suggestions, found again at the place where they were made and wherever the user got to by typing along
 * them, on the way there and back. Keys are texts, not positions alone: a suggestion whose surroundings changed is not
 * found.
 */
export class SuggestionCache {
  /** Oldest first. */
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

  /** The newest suggestion that goes on from here with more than blanks; null where there is none. */
  find(place: SuggestionPlace): CacheHit | null {
    return this.#search(place, (entry) => sameConditions(entry, place));
  }

  /** What an earlier suggestion said would follow here, though other things have changed: a draft, to be verified. */
  findDraft(place: SuggestionPlace): string | null {
    return this.#search(place, (entry) => entry.uri === place.uri)?.text ?? null;
  }

  clear(): void {
    this.#entries.length = 0;
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
        return { ...cached, text: rest, typed };
      }
    }
    return null;
  }
}

/** What was typed between two places; null where the text before the cursor is not that of the earlier place with something typed behind it. */
export function typedSince(then: SuggestionPlace, now: SuggestionPlace): string | null {
  const length = now.offset - then.offset;
  // Line ends may count double in the document, and the editor's indentation replaces the suggestion's.
  if (length < 0 || length > COMPARED_CHARACTERS) return null;
  if (length === 0) return now.prefix.endsWith(prefixEnd(then)) ? '' : null;
  const start = now.prefix.length - length;
  for (let at = Math.max(0, start); at <= now.prefix.length; at++) {
    // Without carriage returns the first candidate is the one.
    if (now.prefix.endsWith(prefixEnd(then), at)) return now.prefix.slice(at);
    if (!now.prefix.includes('\n', start < 0 ? 0 : start)) return null;
  }
  return null;
}

/** Whether two places differ in nothing but what was typed before them. */
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
