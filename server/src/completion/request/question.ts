import type { ModelFacts } from '../../engine/model-facts.js';
import type { FimTemplate } from '../../prompt/fim-template.js';
import { type CursorPlace, cursorPlace } from '../anchor/anchor.js';
import { type CursorContext, cursorContextAt } from '../cursor/cursor-context.js';
import { suffixBehindClosers } from '../cursor/replaced-closers.js';
import { typedThrough } from '../cursor/typed-through.js';
import type { CompletionRequest } from './completion-request.js';
import { type SuggestionPlace, sameConditions, typedSince } from './suggestion-cache.js';

/** The loaded model, and how it wants to be asked. */
export interface ReadyModel {
  readonly facts: ModelFacts;
  readonly template: FimTemplate;
}

/** A request in the terms of those who answer it. */
export interface Question {
  readonly request: CompletionRequest;
  readonly cursor: CursorContext;
  readonly place: CursorPlace;
  /** Under which its answer is kept. */
  readonly key: SuggestionPlace;
  /** What the engine has said so far, and how much of it may be shown; grows while the question is being answered. */
  readonly progress: { text: string; showable: number };
}

/** @param conditions all that determines the answer besides the text around the cursor */
export function askedAt(request: CompletionRequest, conditions: string): Question {
  const { document, offset, selected } = request;
  const cursor = cursorContextAt(document.text, offset, selected);
  const suffix = suffixBehindClosers(cursor);
  const place = cursorPlace(document.uri, document.text, offset, selected, cursor.suffix.length - suffix.length);
  const key = {
    uri: document.uri,
    offset: place.typedEnd + place.inserted.length,
    prefix: cursor.prefix,
    suffix,
    conditions,
  };
  return { request, cursor, place, key, progress: { text: '', showable: 0 } };
}

/** Whether the answer to one question, as far as it has come, is also the answer to another. */
export function covers(running: Question, asked: Question): boolean {
  if (!sameConditions(running.key, asked.key)) return false;
  // Asked for explicitly, more is wanted than one suggestion.
  if ((running.request.trigger === 'invoked') !== (asked.request.trigger === 'invoked')) return false;
  const typed = typedSince(running.key, asked.key);
  if (typed === null) return false;
  const rest = typedThrough(running.progress.text, typed);
  return typed === '' || (rest !== null && rest.trim() !== '');
}
