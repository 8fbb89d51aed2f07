import type { ModelFacts } from '../../engine/port/model-facts.js';
import type { FimTemplate } from '../../prompt/fim-template.js';
import { type CursorPlace, cursorPlace } from '../anchor/anchor.js';
import { type CursorContext, cursorContextAt } from '../cursor/cursor-context.js';
import { suffixBehindClosers, suffixBehindPairs } from '../cursor/replaced-closers.js';
import { typedThrough } from '../cursor/typed-through.js';
import type { CompletionRequest } from './completion-request.js';
import { type SuggestionPlace, sameConditions, typedSince } from './suggestion-cache.js';

/** The loaded model with its prompt format. */
export interface ReadyModel {
  readonly facts: ModelFacts;
  readonly template: FimTemplate;
  /** The length of the longest prompt that this machine evaluates within a moment. */
  readonly promptTokens: number;
}

/** A request with everything that answering it needs. */
export interface Question {
  readonly request: CompletionRequest;
  readonly cursor: CursorContext;
  readonly place: CursorPlace;
  /** The key of its answer in the cache. */
  readonly key: SuggestionPlace;
  /** The text generated so far, and how much of it may be shown; grows while the question is answered. */
  readonly progress: { text: string; showable: number };
}

/** @param conditions everything that determines the answer besides the text around the cursor */
export function askedAt(request: CompletionRequest, conditions: string): Question {
  const { document, offset, selected } = request;
  const cursor = cursorContextAt(document.text, offset, selected);
  const suffix = suffixBehindClosers(cursor);
  const place = cursorPlace(document.uri, document.text, offset, selected, cursor.suffix.length - suffix.length);
  const key = {
    uri: document.uri,
    offset: place.typedEnd + place.inserted.length,
    prefix: cursor.prefix,
    suffix: suffixBehindPairs(cursor, document.languageId),
    conditions,
  };
  return { request, cursor, place, key, progress: { text: '', showable: 0 } };
}

/** Whether the answer to one question, as far as it exists, also answers another. */
export function covers(running: Question, asked: Question): boolean {
  if (!sameConditions(running.key, asked.key)) return false;
  // The user's command asks for more than one suggestion.
  if ((running.request.trigger === 'invoked') !== (asked.request.trigger === 'invoked')) return false;
  const typed = typedSince(running.key, asked.key);
  if (typed === null) return false;
  const rest = typedThrough(running.progress.text, typed);
  return typed === '' || (rest !== null && rest.trim() !== '');
}

/** Whether two questions have the same answer to the letter, also as far as it exists. */
export function isSamePlace({ request: one }: Question, { request: other }: Question): boolean {
  const isSameText = one.document.uri === other.document.uri && one.document.version === other.document.version;
  const isSameItem = one.selected?.start === other.selected?.start && one.selected?.text === other.selected?.text;
  return isSameText && one.offset === other.offset && isSameItem;
}
