import type { ImportedName } from '../context-source.js';
import type { Declaration } from './declaration.js';

/** An import as written in a file. */
export interface ImportReference {
  readonly specifier: string;
  /** Imported names; null for everything, as in `import * as`, `#include` or a package. */
  readonly names: readonly ImportedName[] | null;
  /** The name of the whole module here, such as `cart` in `import * as cart`. Its members are what the file declares. */
  readonly module?: string;
  /** Whether the last part of the specifier may be a name in a file, rather than a file. */
  readonly isGuess?: true;
}

/** A file's imports beyond this number are not followed, nor as many guesses. */
const MAXIMUM_IMPORTS = 48;
/** In UTF-16 units. Each part of a longer one would be looked for in many folders. */
const LONGEST_SPECIFIER = 400;

/**
 * What the context knows of a language. It reads line by line with regular expressions, so it can be wrong. Files are
 * hostile: the steps of every function grow with the text's length and no faster (linear-work.test.ts).
 */
export interface LanguageSupport {
  /** Files of one family can be context for each other. */
  readonly family: string;
  readonly languageIds: readonly string[];
  /** With the dot. */
  readonly extensions: readonly string[];
  /** Whether a file sees the declarations of its folder's other files without an import. */
  readonly folderIsScope: boolean;
  /** Whose configuration files in the workspace say where names of packages and aliases lead. */
  readonly packages?: 'npm' | 'go';
  /** In the order of the file. */
  parseImports(text: string): Iterable<ImportReference>;
  /**
   * Possible paths of the imported file, most likely first: absolute, with forward slashes, usually below `root`. A
   * path that ends with a slash means the files of that folder.
   *
   * @param resolveAlias where the workspace's configuration says that a specifier leads
   */
  importTargets(
    reference: ImportReference,
    fromPath: string,
    root: string,
    resolveAlias?: (specifier: string) => readonly string[],
  ): readonly string[];
  declarations(lines: readonly string[]): readonly Declaration[];
}

/** The first imports of a text. Guesses take no place of others: a project's own imports are mostly the last ones. */
export function importsOf(language: LanguageSupport, text: string): readonly ImportReference[] {
  const references: ImportReference[] = [];
  let certain = 0;
  let guesses = 0;
  for (const reference of language.parseImports(text)) {
    if (reference.specifier.length > LONGEST_SPECIFIER) continue;
    if ((reference.isGuess === true ? ++guesses : ++certain) <= MAXIMUM_IMPORTS) references.push(reference);
  }
  return references;
}
