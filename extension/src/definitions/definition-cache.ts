import type { NamedDefinition } from '../../../server/protocol/index.js';

const MOST_DOCUMENTS = 32;
const MOST_PLACES = 128;
/** The name may get a definition, or its language server may only be starting. */
const EMPTY_FOR_MS = 10_000;
/** A longer text is seldom typed. Nobody compares it with what is known. */
const LONGEST_COMPARED = 2_000;
const LONGEST_NAME = 100;

const IMPORT = /^\s*(?:import|from|export\b.*\bfrom|\}\s*from|use|using|package|#\s*include)\b|\brequire\b/;
const WORD = /[\p{L}\p{N}_$]+/gu;
const WORD_BEFORE = /[\p{L}\p{N}_$]*$/u;
const WORD_BEHIND = /^[\p{L}\p{N}_$]*/u;

/** Null: nothing to show, since the name has no definition or one that prompts show anyway. */
export type Answer = NamedDefinition | null;

/** As an editor reports it: the range was replaced by the text. */
export interface TextChange {
  readonly range: { readonly start: Place; readonly end: Place };
  readonly text: string;
}

interface Place {
  readonly line: number;
  readonly character: number;
}

interface Known {
  readonly name: string;
  readonly answer: Answer;
  readonly askedAt: number;
}

/**
 * What language servers answered, by document and by the place of a name (`placeOfName`). An answer is kept until the name
 * is typed, an import of its document changes, or the file that defines it does. An empty one is kept for seconds.
 */
export class DefinitionCache {
  readonly #documents = new Map<string, Map<string, Known>>();

  get(uri: string, place: string): Answer | undefined {
    const known = this.#documents.get(uri)?.get(place);
    if (known === undefined) return undefined;
    return known.answer === null && performance.now() - known.askedAt >= EMPTY_FOR_MS ? undefined : known.answer;
  }

  set(uri: string, place: string, name: string, answer: Answer): void {
    const places = this.#documents.get(uri) ?? new Map<string, Known>();
    putLast(this.#documents, uri, places, MOST_DOCUMENTS);
    putLast(places, place, { name, answer, askedAt: performance.now() }, MOST_PLACES);
  }

  /** Drops what a change of a document may have made wrong, there and in documents that use its definitions. */
  change(uri: string, changes: readonly TextChange[], lineAt: (line: number) => string | null): void {
    this.forgetDefinedIn(uri);
    const places = this.#documents.get(uri);
    if (places === undefined || changes.length === 0) return;
    const words = changedWords(changes, lineAt);
    if (words === null) this.forget(uri);
    else this.#drop(({ name }) => words.has(name), uri);
  }

  /** @param uri of a file that changed */
  forgetDefinedIn(uri: string): void {
    for (const user of this.#documents.keys()) this.#drop(({ answer }) => answer?.uri === uri, user);
  }

  /** Names without a definition are to be asked for again. */
  forgetEmpty(uri: string): void {
    this.#drop(({ answer }) => answer === null, uri);
  }

  forget(uri: string): void {
    this.#documents.delete(uri);
  }

  #drop(isWrong: (known: Known) => boolean, uri: string): void {
    const places = this.#documents.get(uri);
    for (const [place, known] of places ?? []) if (isWrong(known)) places?.delete(place);
  }
}

/** The least recently set one gives way. */
function putLast<T>(map: Map<string, T>, key: string, value: T, most: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > most && oldest !== undefined) map.delete(oldest);
}

/**
 * The words that were typed, in whole or in part; null where any name may mean something else: an import changed, lines
 * went away, or the change is a large one.
 *
 * @param lineAt the document after the change
 */
function changedWords(
  changes: readonly TextChange[],
  lineAt: (line: number) => string | null,
): ReadonlySet<string> | null {
  const words = new Set<string>();
  for (const { range, text } of changes) {
    const { start, end } = range;
    const inserted = text.split('\n');
    const isSimple = end.line === start.line && (inserted.length === 1 || changes.length === 1);
    if (!isSimple || text.length > LONGEST_COMPARED) return null;
    const last = inserted.at(-1) ?? '';
    const from = inserted.length === 1 ? start.character : 0;
    const firstLine = lineAt(start.line) ?? '';
    const lastLine = lineAt(start.line + inserted.length - 1) ?? '';
    if ([firstLine, ...inserted, lastLine].some((line) => IMPORT.test(line.slice(0, LONGEST_COMPARED)))) return null;
    const before = WORD_BEFORE.exec(firstLine.slice(Math.max(0, start.character - LONGEST_NAME), start.character));
    const behind = WORD_BEHIND.exec(lastLine.slice(from + last.length, from + last.length + LONGEST_NAME));
    for (const [word] of `${before?.[0]}${text}${behind?.[0]}`.matchAll(WORD)) words.add(word);
  }
  return words;
}
