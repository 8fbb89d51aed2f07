import path from 'node:path/posix';
import { withoutTrailingSlashes } from '../../../protocol/index.js';
import { foldersUpTo } from '../languages/folders-above.js';
import { isInFolder } from './file-location.js';

/** The names in a folder; null if nobody knows them all. */
type ListNames = (folder: string) => Promise<readonly string[] | null>;

/**
 * What the folders above a file contain. Each is listed once, so that a name which is in none of them costs nothing more,
 * however many places it is looked for in.
 */
export class FolderNames {
  readonly #list: ListNames;
  /** The nearest first. */
  readonly #folders: readonly string[];
  readonly #known = new Map<string, Promise<ReadonlySet<string> | null>>();

  constructor(list: ListNames, from: string, root: string) {
    this.#list = list;
    this.#folders = foldersUpTo(root, path.dirname(from));
  }

  /** False for a file or folder that surely is not there. */
  async mayHold(target: string): Promise<boolean> {
    const place = withoutTrailingSlashes(target);
    const folder = this.#folders.find((each) => isInFolder(place, each));
    if (folder === undefined) return true;
    let names = this.#known.get(folder);
    if (names === undefined) {
      names = this.#list(folder).then((listed) => listed && new Set(listed.map(alike)));
      this.#known.set(folder, names);
    }
    const [name = ''] = path.relative(folder, place).split('/', 1);
    return (await names)?.has(alike(name)) !== false;
  }
}

/** Equal for names that some file system takes for one. */
function alike(name: string): string {
  return name.normalize('NFC').toLowerCase();
}
