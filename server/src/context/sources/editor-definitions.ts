import type { NamedDefinition } from '../../../protocol/index.js';
import { holdsSecret } from '../admission/secret-files.js';
import type { ContextCandidate, ContextQuery, ContextSource, IndexedFile } from '../context-source.js';
import { locationOf } from '../files/file-location.js';
import { excerpt } from './excerpt.js';
import { namesNearby } from './names-nearby.js';

const MOST_DEFINITIONS = 32;
const LONGEST_NAME = 100;
const LONGEST_SIGNATURE = 300;
/** A definition may stand in a file whose other half is data. */
const SHOWN_LINES = 12;
/** Comments and decorators may belong to a definition's range. */
const LINES_BEFORE = 8;

/** Above declarations that are found by their names alone: the language server knows which one is meant. */
const SCORE = 0.6;
const SCORE_OF_NEARNESS = 0.4;

/** A value whose type the compiler inferred: the text says less of it than its signature. */
const WITHOUT_TYPE = /^(?:export\s+)?(?:const|let|var)\s+[\w$]+(?:\s*=|;?\n?$)/;
const PACKAGES = /\/node_modules\//;

/**
 * Definitions that the editor's language servers found for the names around the cursor. The editor names places; their text
 * comes from the index, which holds only files that may be shown.
 */
export class EditorDefinitions implements ContextSource {
  readonly why = 'definition';
  /** By key of the document that uses them. */
  readonly #definitions = new Map<string, readonly NamedDefinition[]>();

  /** @returns keys of the files that hold them */
  set(uri: string, definitions: readonly NamedDefinition[]): readonly string[] {
    const { key } = locationOf(uri);
    const usable = definitions
      .slice(0, MOST_DEFINITIONS)
      .filter((each) => each.name.length <= LONGEST_NAME && each.startLine <= each.endLine)
      .filter((each) => locationOf(each.uri).key !== key && !PACKAGES.test(each.uri))
      .map((each) => ({ ...each, signature: usableSignature(each.signature) }));
    if (usable.length === 0) this.forget(uri);
    else this.#definitions.set(key, usable);
    return [...new Set(usable.map((each) => locationOf(each.uri).key))];
  }

  forget(uri: string): void {
    this.#definitions.delete(locationOf(uri).key);
  }

  /** Forgets what stands in files that may not be shown. @param isShown by key */
  prune(isShown: (key: string) => boolean): void {
    for (const [key, definitions] of this.#definitions) {
      const kept = definitions.filter(({ uri }) => isShown(locationOf(uri).key));
      if (kept.length === 0) this.#definitions.delete(key);
      else this.#definitions.set(key, kept);
    }
  }

  clear(): void {
    this.#definitions.clear();
  }

  find(query: ContextQuery): readonly ContextCandidate[] {
    const definitions = this.#definitions.get(query.key) ?? [];
    const nearness = definitions.length === 0 ? null : namesNearby(query);
    return definitions.flatMap((definition): ContextCandidate[] => {
      const near = nearness?.get(definition.name) ?? null;
      const file = query.fileByKey(locationOf(definition.uri).key);
      if (near === null || file === null) return [];
      const { line, text } = textOf(definition, file);
      const score = SCORE + SCORE_OF_NEARNESS * near;
      return text === '' ? [] : [{ path: file.path, fileKey: file.key, line, text, score, why: this.why }];
    });
  }
}

/** The declaration without its body where the language is known; its first lines otherwise. */
function textOf({ name, startLine, endLine, signature }: NamedDefinition, { declarations, lines }: IndexedFile) {
  const declared = declarations.find(
    (each) => each.name === name && each.line >= startLine - LINES_BEFORE && each.line <= endLine,
  );
  const shown = declared ?? excerpt(lines, startLine, Math.min(endLine + 1, startLine + SHOWN_LINES));
  const says = signature?.includes(name) === true && WITHOUT_TYPE.test(shown.text);
  return says ? { line: shown.line, text: `${signature}\n` } : { line: shown.line, text: shown.text };
}

function usableSignature(signature: string | null): string | null {
  if (signature === null || signature.length > LONGEST_SIGNATURE || /[\r\n]/.test(signature)) return null;
  return holdsSecret(signature) ? null : signature;
}
