import { Disposable, type TextDocument, workspace } from 'vscode';
import { lastingAddress } from '../editor/notebook-cell.js';

/** VS Code closes a renamed document, opens it again and tells of the new name, in any order, within this time. */
const TIME_LIMIT_MS = 10_000;

/** Carries what documents hold over to the documents that VS Code opens once their files have other names. */
export class RenamedDocuments<Held extends { readonly document: TextDocument }> implements Disposable {
  readonly #files = new RenamedFiles<Held>();
  /** As they were before the last rename: VS Code no longer knows the cells of a notebook that it has closed. */
  readonly #addresses = new WeakMap<TextDocument, string>();
  readonly #registered: Disposable;

  /**
   * @param open what open documents hold
   * @param takeOver gets a document and what it had under its name before, and returns whether the document has it now.
   * If not, the next one with that name gets it: VS Code opens a notebook with unsaved changes as it is on the disk, and
   * then replaces the changed cells
   */
  constructor(open: () => Iterable<Held>, takeOver: (document: TextDocument, before: Held) => boolean) {
    const look = (document: TextDocument): void => {
      if (!this.#files.isAwaiting) return;
      const address = lastingAddress(document);
      const before = this.#files.awaited(address);
      if (before !== null && takeOver(document, before)) this.#files.taken(address);
    };
    this.#registered = Disposable.from(
      workspace.onWillRenameFiles(() => {
        for (const { document } of open()) this.#addresses.set(document, lastingAddress(document));
      }),
      workspace.onDidRenameFiles(({ files }) => {
        const held = new Map([...open()].map((each) => [this.#addressOf(each), each]));
        for (const { oldUri, newUri } of files) this.#files.renamed(oldUri.toString(), newUri.toString(), held);
        for (const document of workspace.textDocuments) look(document);
      }),
      workspace.onDidOpenTextDocument(look),
    );
  }

  closed(held: Held): void {
    this.#files.closed(this.#addressOf(held), held);
  }

  dispose(): void {
    this.#registered.dispose();
    this.#files.dispose();
  }

  #addressOf({ document }: Held): string {
    return this.#addresses.get(document) ?? lastingAddress(document);
  }
}

/** What is held for documents, by their addresses, while their files get other names. */
class RenamedFiles<Held> {
  /** What closed documents had, by their address. */
  readonly #closed = new Map<string, Held>();
  /** What waits for a document, by its new address. */
  readonly #awaited = new Map<string, Held>();
  readonly #timers = new Set<NodeJS.Timeout>();

  closed(address: string, held: Held): void {
    this.#keep(this.#closed, address, held);
  }

  /**
   * @param before address of a file, of a notebook with cells in it, or of a folder with files in it
   * @param open what is held for open documents
   */
  renamed(before: string, after: string, open: ReadonlyMap<string, Held>): void {
    for (const [address, held] of [...this.#closed, ...open]) {
      if (address !== before && !['/', '#'].some((sign) => address.startsWith(before + sign))) continue;
      this.#closed.delete(address);
      this.#keep(this.#awaited, after + address.slice(before.length), held);
    }
  }

  get isAwaiting(): boolean {
    return this.#awaited.size > 0;
  }

  /** What was held for the document that has this address now; null for nothing. */
  awaited(address: string): Held | null {
    return this.#awaited.get(address) ?? null;
  }

  taken(address: string): void {
    this.#awaited.delete(address);
  }

  dispose(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#closed.clear();
    this.#awaited.clear();
  }

  #keep(place: Map<string, Held>, address: string, held: Held): void {
    place.set(address, held);
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      if (place.get(address) === held) place.delete(address);
    }, TIME_LIMIT_MS);
    this.#timers.add(timer);
  }
}
