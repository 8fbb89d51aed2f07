import { type Eagerness, toLineFeeds } from '../../../protocol/index.js';
import type { SyntaxSource } from '../../syntax/syntax.js';
import { cursorSyntaxAt } from '../cursor/cursor-syntax.js';
import type { DocumentChange } from '../cursor/edit-kind.js';
import { countReplacedClosers, lineForCloser, replacedClosers } from '../cursor/replaced-closers.js';
import { typedThrough } from '../cursor/typed-through.js';
import type { CompletionOutcome, Suggestion } from '../request/completion-outcome.js';
import type { Question, ReadyModel } from '../request/question.js';
import { type CachedText, type SuggestionPlace, sameConditions, typedSince } from '../request/suggestion-cache.js';
import { chancesAlong, gateFor, passGate } from './gate.js';
import { GATE_MODEL } from './gate-model.js';
import type { LearnedConfidence } from './learned-confidence.js';

/** The part of a text that is shown; `end` 0 shows nothing. */
interface Part {
  readonly end: number;
  readonly chance: number | null;
  readonly tooShort: boolean;
}

/** Decides how much of each text is shown, and remembers what stands on the screen. */
export class ShownSuggestions {
  readonly #confidence: LearnedConfidence;
  readonly #syntax: SyntaxSource;
  #shown: { readonly key: SuggestionPlace; readonly suggestions: readonly Suggestion[]; readonly rest: string } | null =
    null;
  #lastKey = { uri: '', version: 0, at: Number.NEGATIVE_INFINITY };
  #sinceLastKey = Number.POSITIVE_INFINITY;

  constructor(confidence: LearnedConfidence, syntax: SyntaxSource) {
    this.#confidence = confidence;
    this.#syntax = syntax;
  }

  /**
   * The editor asks more than once for a key: again where the suggest widget selects an item.
   *
   * @param version of the document; each key makes a new one
   * @param now in milliseconds of a monotonic clock
   */
  keyTyped(uri: string, version: number, now: number): void {
    const last = this.#lastKey;
    if (uri === last.uri && version === last.version) return;
    this.#sinceLastKey = uri === last.uri ? now - last.at : Number.POSITIVE_INFINITY;
    this.#lastKey = { uri, version, at: now };
  }

  /** @param texts best first, at least one; all but the first were asked for */
  choose(
    texts: readonly CachedText[],
    question: Question,
    { facts }: ReadyModel,
    eagerness: Eagerness,
    partial: boolean,
  ): CompletionOutcome {
    const suggestions: Suggestion[] = [];
    for (const text of texts) {
      const { end, chance, tooShort } = this.#partOf(text, question, facts.name, eagerness);
      if (end === 0 && suggestions.length === 0) {
        return { kind: 'none', reason: 'unsure', chance: chance ?? 0, tooShort };
      }
      const replaced = this.#replacedBy(text.text.slice(0, end), question);
      suggestions.push({ ...suggestionOf(text, question, end, replaced), chance, model: facts.name });
    }
    return { kind: 'suggestions', suggestions, partial };
  }

  /** The editor shows this outcome now, and nothing else. */
  showed({ key, request, cursor }: Question, outcome: CompletionOutcome): void {
    if (outcome.kind === 'none') {
      // A newer request may have been answered since.
      if (outcome.reason !== 'cancelled') this.#shown = null;
      return;
    }
    const [first] = outcome.suggestions;
    const text = toLineFeeds(first?.text ?? '').slice(request.selected?.text.length ?? 0);
    // Without the line for the editor's closer, which is no part of the suggestion.
    const rest = text.slice(0, text.trimEnd().length);
    this.#shown = { key: { ...key, prefix: cursor.prefix }, suggestions: outcome.suggestions, rest };
  }

  /** Whether a change inserts what a shown suggestion says. */
  isSuggested(uri: string, { offset, inserted }: DocumentChange): boolean {
    if (this.#shown?.key.uri !== uri) return false;
    const { suggestions } = this.#shown;
    return suggestions.some(({ start, text }) => offset >= start && text.startsWith(inserted, offset - start));
  }

  #partOf({ text, pieces }: CachedText, question: Question, modelName: string, eagerness: Eagerness): Part {
    if (pieces === null) return { end: text.length, chance: null, tooShort: false };
    const { document, offset } = question.request;
    const scope = this.#syntax.at(document).scopeAt(offset);
    const place = { languageId: document.languageId, scope, linePrefix: question.cursor.linePrefix };
    const beginnings = chancesAlong(text, pieces, place, GATE_MODEL, this.#confidence.shiftOf(modelName));
    const whole = beginnings.at(-1);
    if (question.request.trigger === 'invoked')
      return { end: text.length, chance: whole?.chance ?? null, tooShort: false };
    const passed = passGate(text, beginnings, gateFor(eagerness, place, this.#sinceLastKey));
    // A suggestion that is shown and still fits stays.
    const standing = this.#standingAt(question);
    if (standing.length <= passed.end || !text.startsWith(standing)) return passed;
    const chance = beginnings.find(({ end }) => end >= standing.length)?.chance ?? null;
    return { end: standing.length, chance, tooShort: false };
  }

  #replacedBy(shown: string, { cursor, request: { document, offset, selected } }: Question): number {
    // Few suggestions have closers, and only those need the syntax.
    if (countReplacedClosers(shown, cursor, document.languageId) === 0) return 0;
    return replacedClosers(shown, cursor, cursorSyntaxAt(this.#syntax, document, offset, selected));
  }

  /** What is left of the shown suggestion where the user typed along it; empty for nothing. */
  #standingAt({ key }: Question): string {
    if (this.#shown === null || !sameConditions(this.#shown.key, key)) return '';
    const typed = typedSince(this.#shown.key, key);
    const rest = typed === null ? null : typedThrough(this.#shown.rest, typed);
    return rest === null || rest.trim() === '' ? '' : rest;
  }
}

function suggestionOf(
  { id, text }: CachedText,
  { request: { selected, offset }, cursor }: Question,
  end: number,
  replaced: number,
): Omit<Suggestion, 'chance' | 'model'> {
  const shown = text.slice(0, end);
  const whole = (selected?.text ?? '') + shown + lineForCloser(shown, cursor, replaced);
  return {
    id,
    text: cursor.lineEnd === '\n' ? whole : whole.replace(/\r?\n/g, cursor.lineEnd),
    start: selected?.start ?? offset,
    end: offset + replaced,
    leftOut: text.length - end,
  };
}
