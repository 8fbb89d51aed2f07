import type { ImportedName } from '../context-source.js';
import type { Declaration } from './declaration.js';

/** An import as a file writes it. */
export interface ImportReference {
  readonly specifier: string;
  /** What is taken from there; null for everything, as by `import * as`, `#include` or a package. */
  readonly names: readonly ImportedName[] | null;
}

/** What the context needs to know of a language: read by regular expressions, line by line, so it may be wrong. */
export interface LanguageSupport {
  /** Files of one family are each other's context. */
  readonly family: string;
  readonly languageIds: readonly string[];
  /** With their dot. */
  readonly extensions: readonly string[];
  /** Whether a file sees the declarations of the other files in its folder without an import. */
  readonly folderIsScope: boolean;
  parseImports(text: string): readonly ImportReference[];
  /**
   * Where the imported file may be, likeliest first: absolute paths with forward slashes, below `root` if they are any
   * use. A path that ends with a slash means the files of that folder.
   */
  importTargets(reference: ImportReference, fromPath: string, root: string): readonly string[];
  declarations(lines: readonly string[]): readonly Declaration[];
}
