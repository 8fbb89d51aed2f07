import { Disposable, type TextDocument, workspace } from 'vscode';
import { cellOf } from '../editor/notebook-cell.js';
import { RenamedFiles } from './renamed-files.js';

/** Carries what documents hold over to the documents that VS Code opens once their files have other names. */
export class RenamedDocuments<Held extends { readonly document: TextDocument }> implements Disposable {
  readonly #files = new RenamedFiles<Held>();
  /** As they were before the last rename: VS Code no longer knows the cells of a notebook that it has closed. */
  readonly #addresses = new WeakMap<TextDocument, string>();
  readonly #registered: Disposable;

  /**
   * @param open what open documents hold
   * @param takeOver gets a document and what it had under its name before
   */
  constructor(open: () => Iterable<Held>, takeOver: (document: TextDocument, before: Held) => void) {
    const look = (document: TextDocument): void => {
      const before = this.#files.isAwaiting ? this.#files.take(addressOf(document)) : null;
      if (before !== null) takeOver(document, before);
    };
    this.#registered = Disposable.from(
      workspace.onWillRenameFiles(() => {
        for (const { document } of open()) this.#addresses.set(document, addressOf(document));
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
    return this.#addresses.get(document) ?? addressOf(document);
  }
}

/** Of a cell, its notebook's address and its number: VS Code gives cells other addresses when it opens a notebook. */
function addressOf(document: TextDocument): string {
  const cell = cellOf(document);
  return cell === null ? document.uri.toString() : `${cell.notebook.uri}#${cell.index}`;
}
