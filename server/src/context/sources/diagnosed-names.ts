import type { ContextCandidate, ContextQuery, ContextSource } from '../context-source.js';
import { locationOf } from '../files/file-location.js';

const MAXIMUM_MESSAGES = 64;
/** The names come first. */
const MAXIMUM_MESSAGE_CHARACTERS = 500;
const MAXIMUM_CANDIDATES = 6;
const SCORE = 0.8;

/** Names in quotes, as TypeScript, Python's checkers, rustc, gopls and clang write them. */
const QUOTED = /['"`‘“]([\p{L}_$][\p{L}\p{N}_$]*)['"`’”]/gu;
const UNDEFINED = /\bundefined: ([\p{L}_][\p{L}\p{N}_]*)/gu;

/**
 * Declarations of the names in diagnostics around the cursor: a missing import, or a type that does not fit. The prompt
 * never shows a message, since files in training data contain none.
 */
export class DiagnosedNames implements ContextSource {
  readonly why = 'diagnostic';
  /** By key of the document. */
  readonly #names = new Map<string, ReadonlySet<string>>();

  set(uri: string, messages: readonly string[]): void {
    const names = messages
      .slice(0, MAXIMUM_MESSAGES)
      .map((message) => message.slice(0, MAXIMUM_MESSAGE_CHARACTERS))
      .flatMap((message) => [...message.matchAll(QUOTED), ...message.matchAll(UNDEFINED)])
      .map(([, name = '']) => name);
    if (names.length === 0) this.forget(uri);
    else this.#names.set(locationOf(uri).key, new Set(names));
  }

  forget(uri: string): void {
    this.#names.delete(locationOf(uri).key);
  }

  find(query: ContextQuery): readonly ContextCandidate[] {
    const names = this.#names.get(query.key);
    if (names === undefined) return [];
    const nearby = query.nearbyLines.join('\n');
    const wanted = new Set([...names].filter((name) => nearby.includes(name)));
    return query.files
      .filter(({ family }) => family === query.family)
      .flatMap(({ key, path, declarations }) =>
        declarations
          .filter(({ name }) => wanted.has(name))
          .map(({ line, text }) => ({ path, fileKey: key, line, text, score: SCORE, why: this.why }) as const),
      )
      .slice(0, MAXIMUM_CANDIDATES);
  }
}
