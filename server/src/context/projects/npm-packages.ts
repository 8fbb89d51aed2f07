import { lstat, readlink } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import path from 'node:path/posix';
import { withoutTrailingSlashes } from '../../../protocol/index.js';
import { errorCode } from '../../util/error-code.js';
import { ifReadable } from '../../util/if-readable.js';
import { realPath } from '../admission/real-path.js';
import { fileSystemPath, isInFolder, pathFromFileSystem } from '../files/file-location.js';
import { foldersUpTo } from '../languages/folders-above.js';
import {
  filesOfOwnName,
  filesOfPackage,
  type PackageJson,
  parsePackageJson,
  parsePnpmWorkspace,
} from './package-json.js';
import { ParsedFiles, type WorkspaceReader } from './parsed-files.js';
import type { ResolvePackage } from './resolve-package.js';

/** A name that may be one of a package, and the part of the package that it asks for. */
const SPECIFIER = /^(?<name>(?:@[\w.~-]+\/)?[\w~-][\w.~-]*)(?<part>(?:\/[^/\\:\0]+)*)$/;
const LONGEST_SPECIFIER = 256;
const PACKAGES = 'node_modules';
/** Folders in which a package is looked for by its name. */
const MOST_GUESSES = 8;

interface Project {
  /** Those above the importing file that have a `package.json`, the nearest first. */
  readonly packages: readonly { readonly folder: string; readonly facts: PackageJson }[];
  /** Folders with packages that are installed, or linked. */
  readonly installed: readonly string[];
  /** Where packages of the workspace may lie, perhaps with a star at the end. */
  readonly workspaces: readonly string[];
}

/** Packages of npm, pnpm and Yarn that lie in the workspace. Each import asks for a few files. */
export class NpmPackages {
  readonly #reader: WorkspaceReader;
  readonly #packages: ParsedFiles<PackageJson>;
  readonly #pnpm: ParsedFiles<readonly string[]>;

  constructor(reader: WorkspaceReader) {
    this.#reader = reader;
    this.#packages = new ParsedFiles(reader, parsePackageJson);
    this.#pnpm = new ParsedFiles(reader, parsePnpmWorkspace);
  }

  /** @param root the workspace folder, above which nobody looks */
  of(from: string, root: string): ResolvePackage {
    let project: Promise<Project> | null = null;
    return async (specifier) => {
      if (specifier.length > LONGEST_SPECIFIER || isBuiltin(specifier)) return [];
      const { name, part = '' } = SPECIFIER.exec(specifier)?.groups ?? {};
      const isOwn = /^#[^/]/.test(specifier);
      if ((name === undefined && !isOwn) || specifier.split('/').includes('..')) return [];
      // Most files import a package, but not all do.
      project ??= this.#projectOf(from, root);
      return this.#files(await project, root, name === undefined ? null : { name, part }, specifier);
    };
  }

  clear(): void {
    this.#packages.clear();
    this.#pnpm.clear();
  }

  async #projectOf(from: string, root: string): Promise<Project> {
    const packages: { folder: string; facts: PackageJson }[] = [];
    const installed: string[] = [];
    const workspaces: string[] = [];
    for (const folder of foldersUpTo(root, path.dirname(from))) {
      const facts = await this.#packages.of(path.join(folder, 'package.json'));
      const patterns = (await this.#pnpm.of(path.join(folder, 'pnpm-workspace.yaml'))) ?? facts?.workspaces ?? [];
      if (facts !== null) packages.push({ folder, facts });
      workspaces.push(...patterns.filter(isFolder).map((pattern) => path.join(folder, pattern)));
      const place = path.join(folder, PACKAGES);
      if (this.#reader.readsIn(path.join(place, 'a')) && (await isRealFolder(place))) installed.push(place);
    }
    return { packages, installed, workspaces };
  }

  async #files(
    { packages, installed, workspaces }: Project,
    root: string,
    wanted: { readonly name: string; readonly part: string } | null,
    specifier: string,
  ): Promise<readonly string[]> {
    const [nearest] = packages;
    if (wanted === null) {
      return nearest === undefined ? [] : below(nearest.folder, filesOfOwnName(nearest.facts, specifier));
    }
    const { name, part } = wanted;
    if (nearest?.facts.name === name) return below(nearest.folder, filesOfPackage(nearest.facts, part));
    for (const place of installed) {
      const linked = await this.#linked(place, name, root);
      if (linked === 'absent') continue;
      const facts = linked === 'elsewhere' ? null : await this.#packages.of(path.join(linked.folder, 'package.json'));
      return linked === 'elsewhere' || facts === null ? [] : below(linked.folder, filesOfPackage(facts, part));
    }
    for (const folder of guesses(workspaces, name)) {
      const facts = await this.#packages.of(path.join(folder, 'package.json'));
      if (facts?.name === name) return below(folder, filesOfPackage(facts, part));
    }
    return [];
  }

  /**
   * Where a package in `node_modules` lies, if it is a link into the workspace. Only the link is read: what it leads to
   * may be on another machine.
   */
  async #linked(
    place: string,
    name: string,
    root: string,
  ): Promise<'absent' | 'elsewhere' | { readonly folder: string }> {
    const link = path.join(place, name);
    const [scope] = name.split('/');
    if (name !== scope && !(await isRealFolder(path.join(place, scope ?? '')))) return 'absent';
    let target: string;
    try {
      target = withoutTrailingSlashes(pathFromFileSystem(await readlink(fileSystemPath(link))));
    } catch (error) {
      if (!(error instanceof Error && 'code' in error)) throw error;
      const code = errorCode(error);
      return code === 'ENOENT' || code === 'ENOTDIR' ? 'absent' : 'elsewhere';
    }
    const folder = path.resolve(path.dirname(link), target);
    if (folder.split('/').includes(PACKAGES)) return 'elsewhere';
    if (this.#reader.readsIn(path.join(folder, 'package.json'))) return { folder };
    // A junction of Windows names the place where the workspace really is.
    const realRoot = await realPath(root);
    return isInFolder(folder, realRoot) ? { folder: path.join(root, path.relative(realRoot, folder)) } : 'elsewhere';
  }
}

/** Behind a link others may lie on another machine. */
async function isRealFolder(folder: string): Promise<boolean> {
  return (await ifReadable(lstat(fileSystemPath(folder))))?.isDirectory() === true;
}

/** A glob is followed if its only star is its end. Packages of others are none of the workspace's. */
function isFolder(pattern: string): boolean {
  return (
    !pattern.split('/').includes(PACKAGES) &&
    !path.isAbsolute(pattern) &&
    /^[^*!?{[\\:\0]+(?:\*{1,2}\/?)?$/.test(pattern)
  );
}

/** The folders that a package probably lies in: most are named like it. Another one has a link in `node_modules`. */
function guesses(workspaces: readonly string[], name: string): readonly string[] {
  const last = name.slice(name.lastIndexOf('/') + 1);
  const whole = name.replace(/^@/, '').replace('/', '-');
  const folders = workspaces.flatMap((pattern) => {
    const above = pattern.replace(/\*+\/?$/, '');
    return above === pattern ? [pattern] : [...new Set([last, whole])].map((each) => path.join(above, each));
  });
  const isLikely = (folder: string) => folder.endsWith(`/${last}`);
  return [...new Set([...folders.filter(isLikely), ...folders])].slice(0, MOST_GUESSES);
}

function below(folder: string, files: readonly string[]): readonly string[] {
  return files.map((file) => path.join(folder, file));
}
