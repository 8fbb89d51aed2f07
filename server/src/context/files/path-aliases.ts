import { stat } from 'node:fs/promises';
import path from 'node:path/posix';
import { ifReadable } from '../../util/if-readable.js';
import { realPath } from '../admission/real-path.js';
import { aliasTargets, parseTsConfig, type TsConfig } from '../languages/tsconfig.js';
import { fileSystemPath, isInFolder } from './file-location.js';

/** Where imports by an alias of the workspace may lead: absolute paths without extensions, most likely first. */
export type ResolveAlias = (specifier: string) => readonly string[];

const PACKAGES = '/node_modules/';
const NAMES = ['tsconfig.json', 'jsconfig.json'];
/** Configurations that one file's imports may depend on, in all. */
const MOST_CONFIGS = 16;
const MOST_FOLDERS = 32;
const MOST_KEPT = 64;

interface Kept {
  readonly modified: number;
  readonly config: TsConfig | null;
}

type Aliases = Pick<TsConfig, 'paths' | 'baseUrl'>;

const NONE: Aliases = { paths: null, baseUrl: null };

/** Reads files of the workspace. */
interface WorkspaceReader {
  /** Whether files at such a place may be read at all. */
  readsIn(file: string): boolean;
  /** A file's text; null for one that may not be read. */
  read(file: string): Promise<string | null>;
}

/** The import aliases of `tsconfig.json` and `jsconfig.json` files, which are read like any file of the workspace. */
export class PathAliases {
  readonly #reader: WorkspaceReader;
  readonly #kept = new Map<string, Kept>();

  constructor(reader: WorkspaceReader) {
    this.#reader = reader;
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
    this.#kept.clear();
  }

  /** A configuration with what it extends; null if there is none. @param visited breaks cycles */
  async #resolve(file: string, visited: Set<string>): Promise<Aliases | null> {
    if (visited.has(file) || visited.size >= MOST_CONFIGS) return null;
    visited.add(file);
    const config = await this.#config(file);
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

  async #config(file: string): Promise<TsConfig | null> {
    const facts = this.#reader.readsIn(file) ? await ifReadable(stat(fileSystemPath(file))) : null;
    const modified = facts?.mtimeMs ?? null;
    if (modified === null) {
      this.#kept.delete(file);
      return null;
    }
    const kept = this.#kept.get(file);
    if (kept?.modified === modified) return kept.config;
    const text = await this.#reader.read(file);
    const config = text === null ? null : parseTsConfig(text, file);
    if (this.#kept.size >= MOST_KEPT) this.#kept.clear();
    this.#kept.set(file, { modified, config });
    return config;
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
