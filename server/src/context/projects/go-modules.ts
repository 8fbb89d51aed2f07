import path from 'node:path/posix';
import { foldersUpTo } from '../languages/folders-above.js';
import { type GoFile, parseGoFile } from './go-file.js';
import { ParsedFiles, type WorkspaceReader } from './parsed-files.js';
import type { ResolvePackage } from './resolve-package.js';

/** Modules of Go that lie in the workspace. */
export class GoModules {
  readonly #reader: WorkspaceReader;
  readonly #files: ParsedFiles<GoFile>;

  constructor(reader: WorkspaceReader) {
    this.#reader = reader;
    this.#files = new ParsedFiles(reader, parseGoFile);
  }

  /** By the nearest `go.mod` and `go.work` above a file. @param root the workspace folder, above which nobody looks */
  of(from: string, root: string): ResolvePackage {
    let modules: Promise<ReadonlyMap<string, string>> | null = null;
    return async (specifier) => {
      modules ??= this.#modulesOf(from, root);
      const known = await modules;
      // The longest name of a module that the specifier begins with.
      for (let end = specifier.length; end > 0; end = specifier.lastIndexOf('/', end - 1)) {
        const folder = known.get(specifier.slice(0, end));
        const part = specifier.slice(end + 1);
        if (folder === undefined || part.split('/').includes('..')) continue;
        return [`${path.join(folder, part)}/`];
      }
      return [];
    };
  }

  clear(): void {
    this.#files.clear();
  }

  /** The folder of each module. As for Go, what `go.work` says comes first. */
  async #modulesOf(from: string, root: string): Promise<ReadonlyMap<string, string>> {
    const modules = new Map<string, string>();
    const add = (module: string | null | undefined, folder: string): void => {
      if (module && this.#reader.readsIn(path.join(folder, 'go.mod'))) modules.set(module, folder);
    };
    const folders = foldersUpTo(root, path.dirname(from));
    const own = await this.#nearest(folders, 'go.mod');
    const work = await this.#nearest(folders, 'go.work');
    for (const { module, folder } of own?.file.replaced ?? []) add(module, path.join(own?.folder ?? root, folder));
    add(own?.file.module, own?.folder ?? root);
    if (work === null) return modules;
    for (const each of work.file.uses) {
      const folder = path.join(work.folder, each);
      add((await this.#files.of(path.join(folder, 'go.mod')))?.module, folder);
    }
    for (const { module, folder } of work.file.replaced) add(module, path.join(work.folder, folder));
    return modules;
  }

  async #nearest(
    folders: readonly string[],
    name: string,
  ): Promise<{ readonly folder: string; readonly file: GoFile } | null> {
    for (const folder of folders) {
      const file = await this.#files.of(path.join(folder, name));
      if (file !== null) return { folder, file };
    }
    return null;
  }
}
