import type { NamedDefinition } from '../../../server/protocol/index.js';
import { type Answer, DefinitionCache } from './definition-cache.js';
import { placeOfName } from './name-place.js';
import { namesAround, type PlacedName } from './names-around.js';

/** Nobody waits, but a language server that is still loading is not asked on and on. */
const LONGEST_PASS_MS = 10_000;
const MOST_TOLD = 32;

/** A document as the editor holds it: it changes while its language server thinks. */
export interface LiveDocument {
  readonly uri: string;
  readonly version: () => number;
  /** Null beyond the document. */
  readonly lineAt: (line: number) => string | null;
}

/** Each question has a limit of time; `late` where the answer takes longer. */
export interface LanguageServers {
  /** Null where there is no definition to show. */
  readonly definition: (uri: string, name: PlacedName) => Promise<Answer | 'late'>;
  readonly signature: (uri: string, name: PlacedName) => Promise<string | null | 'late'>;
}

export interface Found {
  readonly definitions: readonly NamedDefinition[];
  /** Why asking again later may find more: names are left, or none has a definition, as while a language server starts. */
  readonly missing: 'some' | 'all' | null;
}

/** Finds the definitions of the names around the cursor. Asks for what is not known, one question at a time. */
export class DefinitionFinder {
  readonly cache = new DefinitionCache();
  readonly #servers: LanguageServers;
  /** What the last pass found, by document. */
  readonly #found = new Map<string, readonly NamedDefinition[]>();

  constructor(servers: LanguageServers) {
    this.#servers = servers;
  }

  /** @returns null where the signal ended the search; what was learned until then is kept */
  async find(document: LiveDocument, cursorLine: number, signal: AbortSignal): Promise<Found | null> {
    const names = namesAround(document.lineAt, cursorLine).map((name) => ({
      ...name,
      place: placeOfName(document.lineAt, name),
    }));
    const endsAt = performance.now() + LONGEST_PASS_MS;
    let isWhole = true;
    for (const name of names) {
      if (this.cache.get(document.uri, name.place) !== undefined) continue;
      if (signal.aborted) return null;
      isWhole = performance.now() < endsAt && (await this.#ask(document, name));
      if (!isWhole) break;
    }
    if (signal.aborted) return null;
    const definitions = names.flatMap(({ place }) => this.cache.get(document.uri, place) ?? []);
    const missing = !isWhole ? 'some' : names.length > 0 && definitions.length === 0 ? 'all' : null;
    return { definitions: this.#told(document.uri, definitions, isWhole), missing };
  }

  close(uri: string): void {
    this.cache.forget(uri);
    this.#found.delete(uri);
  }

  /** @returns whether the language server answers in time */
  async #ask(document: LiveDocument, name: PlacedName & { readonly place: string }): Promise<boolean> {
    const { uri } = document;
    const version = document.version();
    const answer = await unlessItFails(this.#servers.definition(uri, name));
    // It may be one for the text before the last key.
    if (document.version() !== version) return true;
    if (answer === 'late' || answer === null) {
      this.cache.set(uri, name.place, name.name, null);
      return answer === null;
    }
    const signature = await unlessItFails(this.#servers.signature(uri, name));
    if (document.version() !== version) return true;
    this.cache.set(uri, name.place, name.name, { ...answer, signature: signature === 'late' ? null : signature });
    return signature !== 'late';
  }

  /** A search that did not come to its end adds to what the last one found, and takes nothing away. */
  #told(uri: string, definitions: readonly NamedDefinition[], isWhole: boolean): readonly NamedDefinition[] {
    const names = new Set(definitions.map(({ name }) => name));
    const others = isWhole ? [] : (this.#found.get(uri) ?? []).filter(({ name }) => !names.has(name));
    const told = [...definitions, ...others].slice(0, MOST_TOLD);
    this.#found.delete(uri);
    this.#found.set(uri, told);
    return told;
  }
}

/** A language server that fails at one name is not ours to report, and may know the others. */
async function unlessItFails<T>(answer: Promise<T>): Promise<T | null> {
  try {
    return await answer;
  } catch {
    return null;
  }
}
