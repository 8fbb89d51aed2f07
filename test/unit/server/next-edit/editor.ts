import type { DocumentChange } from '../../../../server/src/completion/cursor/edit-kind.js';

/** A document that a test edits as an editor would. */
export class EditedText {
  readonly uri: string;
  readonly languageId: string;
  version = 1;
  #text: string;

  constructor(uri: string, text: string, languageId = 'typescript') {
    this.uri = uri;
    this.#text = text;
    this.languageId = languageId;
  }

  getText(): string {
    return this.#text;
  }

  /** Replaces the nth occurrence of a text that must be there. Returns the change. */
  replace(wanted: string, by: string, occurrence = 0): DocumentChange {
    let offset = this.#text.indexOf(wanted);
    for (let nth = 0; nth < occurrence && offset >= 0; nth++) offset = this.#text.indexOf(wanted, offset + 1);
    if (offset < 0) throw new Error(`${JSON.stringify(wanted)} is not in the text`);
    return this.change({ offset, removed: wanted, inserted: by });
  }

  change(change: DocumentChange): DocumentChange {
    const { offset, removed, inserted } = change;
    this.#text = this.#text.slice(0, offset) + inserted + this.#text.slice(offset + removed.length);
    this.version++;
    return change;
  }
}
