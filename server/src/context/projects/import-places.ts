import type { ImportReference, LanguageSupport } from '../languages/language-support.js';
import { NpmPackages } from './npm-packages.js';
import type { WorkspaceReader } from './parsed-files.js';
import { PathAliases } from './path-aliases.js';

/** Paths that an import may lead to, most likely first, as `LanguageSupport.importTargets` describes them. */
export type ImportTargets = (reference: ImportReference) => Promise<readonly string[]>;

/** Where imports lead, by their language's rules and by what configuration files of the workspace say. */
export class ImportPlaces {
  readonly #aliases: PathAliases;
  readonly #npm: NpmPackages;

  constructor(reader: WorkspaceReader) {
    this.#aliases = new PathAliases(reader);
    this.#npm = new NpmPackages(reader);
  }

  /** @param root the workspace folder of the importing file */
  async of(language: LanguageSupport, from: string, root: string): Promise<ImportTargets> {
    if (language.packages === undefined) return async (reference) => language.importTargets(reference, from, root);
    const resolveAlias = await this.#aliases.of(from, root);
    const resolvePackage = this.#npm.of(from, root);
    // As for TypeScript, a package is what no alias leads to.
    return async (reference) => [
      ...language.importTargets(reference, from, root, resolveAlias),
      ...(await resolvePackage(reference.specifier)),
    ];
  }

  clear(): void {
    this.#aliases.clear();
    this.#npm.clear();
  }
}
