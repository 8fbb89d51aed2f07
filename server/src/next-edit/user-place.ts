import { notebookOf } from '../context/files/file-location.js';

interface Place {
  readonly uri: string;
  readonly offset: number;
}

/** Where the user is, and which documents the user has seen or edited. */
export class UserPlace {
  #place: Place | null = null;
  /** The document that the client says the user is in; null where it does not say, and until it says so again. */
  #cursorIn: string | null = null;
  #reportsCursor = false;
  /** The last one at the end. */
  readonly #seen = new Set<string>();

  get present(): Place | null {
    return this.#place;
  }

  /** The client opens documents that nobody sees, and says where the cursor is. */
  clientReportsCursor(): void {
    this.#reportsCursor = true;
  }

  /** Whether the user can be in a document, as far as the client says. */
  mayBeIn(uri: string): boolean {
    return this.#cursorIn === null || this.#cursorIn === uri;
  }

  /** The documents that the user has seen, the last seen first. */
  seenOf<Document extends { readonly uri: string }>(documents: readonly Document[]): readonly Document[] {
    const order = [...this.#seen].reverse();
    // A user in one cell of a notebook sees the others.
    const notebooks = new Set([...this.#seen].map(notebookOf));
    const isSeen = (uri: string): boolean => {
      const notebook = notebookOf(uri);
      return this.#seen.has(uri) || (notebook !== null && notebooks.has(notebook));
    };
    const seen = documents.filter(({ uri }) => isSeen(uri) || !this.#reportsCursor);
    const rank = ({ uri }: Document) => (this.#seen.has(uri) ? order.indexOf(uri) : order.length);
    return [...seen].sort((one, other) => rank(one) - rank(other));
  }

  /** The user moved the cursor. */
  moved(uri: string, offset: number): void {
    this.#reportsCursor = true;
    this.#cursorIn = uri;
    this.#goTo({ uri, offset });
  }

  /** The user edited. */
  edited(uri: string, offset: number): void {
    this.#goTo({ uri, offset });
  }

  /** An edit that was announced elsewhere was made there, before the client says that the user is there. */
  ledTo(uri: string): void {
    if (this.#cursorIn !== uri) this.#cursorIn = null;
  }

  closed(uri: string): void {
    this.#seen.delete(uri);
    if (this.#place?.uri === uri) this.#place = null;
    if (this.#cursorIn === uri) this.#cursorIn = null;
  }

  #goTo(place: Place): void {
    this.#place = place;
    this.#seen.delete(place.uri);
    this.#seen.add(place.uri);
  }
}
