import { stat } from 'node:fs/promises';
import path from 'node:path/posix';
import { ifReadable } from '../../util/if-readable.js';
import { realPath } from '../admission/real-path.js';
import { fileSystemPath, isInFolder } from '../files/file-location.js';
import { ParsedFiles, type WorkspaceReader } from './parsed-files.js';
import { aliasTargets, parseTsConfig, type TsConfig } from './tsconfig.js';

/** Where imports by an alias of the workspace may lead: absolute paths without extensions, most likely first. */
export type ResolveAlias = (specifier: string) => readonly string[];

const PACKAGES = '/node_modules/';
const NAMES = ['tsconfig.json', 'jsconfig.json'];
/** Configurations that one file's imports may depend on, in all. */
const MOST_CONFIGS = 16;
const MOST_FOLDERS = 32;

type Aliases = Pick<TsConfig, 'paths' | 'baseUrl'>;

const NONE: Aliases = { paths: null, baseUrl: null };

/** The import aliases of `tsconfig.json` and `jsconfig.json` files, which are read like any file of the workspace. */
export class PathAliases {
  readonly #reader: WorkspaceReader;
  readonly #configs: ParsedFiles<TsConfig>;

  constructor(reader: WorkspaceReader) {
    this.#reader = reader;
    this.#configs = new ParsedFiles(reader, parseTsConfig);
  }

  /** The aliases of the nearest configuration above a file, up to the workspace folder. */
  async of(file: string, root: string): Promise<ResolveAlias> {
    let folder = path.dirname(file);
    for (let count = 0; count < MOST_FOLDERS && (folder === root || isInFolder(folder, root)); count += 1) {
      for (const name of NAMES) {
        const visited = new Set<string>();
        const aliases = await this.#resolve(path.join(folder, name), visited);
        if (aliases !== null) return (specifier) => aliasTargets(aliases, specifier);
      }
      folder = path.dirname(folder);
    }
    return () => [];
  }

  clear(): void {
    this.#configs.clear();
  }

  /** A configuration with what it extends; null if there is none. @param visited breaks cycles */
  async #resolve(file: string, visited: Set<string>): Promise<Aliases | null> {
    if (visited.has(file) || visited.size >= MOST_CONFIGS) return null;
    visited.add(file);
    const config = await this.#configs.of(file);
    if (config === null) return null;
    let aliases = NONE;
    for (const files of config.extends) {
      const base = await this.#firstFile(files, file);
      if (base !== null) aliases = over(await this.#resolve(base, visited), aliases);
    }
    aliases = over(config, aliases);
    // The configuration of a workspace with parts may say nothing itself.
    for (const part of aliases.paths === null ? config.references : []) {
      const found = await this.#resolve(part, visited);
      if (found?.paths != null) return over(found, aliases);
    }
    return aliases;
  }

  /**
   * A package of the workspace is a link in `node_modules`, perhaps above the workspace. It is read where it lies, as other
   * packages may not be read. Nobody asks for a file elsewhere: it may be on another machine.
   */
  async #firstFile(files: readonly string[], from: string): Promise<string | null> {
    for (const file of files) {
      const packages = file.indexOf(PACKAGES);
      const isPackage = packages >= 0 && isInFolder(from, file.slice(0, packages));
      if (!isPackage && !this.#reader.readsIn(file)) continue;
      const facts = await ifReadable(stat(fileSystemPath(file)));
      if (facts?.isFile() === true) return isPackage ? await realPath(file) : file;
    }
    return null;
  }
}

function over(upper: Aliases | null, lower: Aliases): Aliases {
  return { paths: upper?.paths ?? lower.paths, baseUrl: upper?.baseUrl ?? lower.baseUrl };
}
