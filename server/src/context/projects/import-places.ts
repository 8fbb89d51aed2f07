import type { ImportReference, LanguageSupport } from '../languages/language-support.js';
import { GoModules } from './go-modules.js';
import { NpmPackages } from './npm-packages.js';
import type { WorkspaceReader } from './parsed-files.js';
import { PathAliases } from './path-aliases.js';

/** Paths that an import may lead to, most likely first, as `LanguageSupport.importTargets` describes them. */
export type ImportTargets = (reference: ImportReference) => Promise<readonly string[]>;

/** Where imports lead, by their language's rules and by what configuration files of the workspace say. */
export class ImportPlaces {
  readonly #aliases: PathAliases;
  readonly #npm: NpmPackages;
  readonly #go: GoModules;

  constructor(reader: WorkspaceReader) {
    this.#aliases = new PathAliases(reader);
    this.#npm = new NpmPackages(reader);
    this.#go = new GoModules(reader);
  }

  /** @param root the workspace folder of the importing file */
  async of(language: LanguageSupport, from: string, root: string): Promise<ImportTargets> {
    switch (language.packages) {
      case undefined:
        return async (reference) => language.importTargets(reference, from, root);
      case 'npm': {
        const resolveAlias = await this.#aliases.of(from, root);
        const resolvePackage = this.#npm.of(from, root);
        // As for TypeScript, a package is what no alias leads to.
        return async (reference) => [
          ...language.importTargets(reference, from, root, resolveAlias),
          ...(await resolvePackage(reference.specifier)),
        ];
      }
      case 'go': {
        const resolvePackage = this.#go.of(from, root);
        // The language's own rules are guesses.
        return async (reference) => [
          ...(await resolvePackage(reference.specifier)),
          ...language.importTargets(reference, from, root),
        ];
      }
    }
  }

  clear(): void {
    this.#aliases.clear();
    this.#npm.clear();
    this.#go.clear();
  }
}
