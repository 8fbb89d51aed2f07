import type { DocumentChange } from '../../completion/cursor/edit-kind.js';

/** Which changes an undo or redo made. The editor may say so before the change or after it. */
export class UndoneVersions {
  /** Versions that were announced before their change. */
  readonly #awaited = new Map<string, number>();
  #last: { readonly uri: string; readonly version: number; readonly changes: readonly DocumentChange[] } | null = null;

  /** @returns whether an undo made the change, as the editor has said before */
  edited(uri: string, version: number, changes: readonly DocumentChange[]): boolean {
    this.#last = { uri, version, changes };
    return this.#awaited.get(uri) === version && this.#awaited.delete(uri);
  }

  /**
   * @param present the version that the document has now; null if it is not open
   * @returns the changes that the undo made, if they came before; none otherwise
   */
  announced(uri: string, version: number, present: number | null): readonly DocumentChange[] {
    if (present !== null && present < version) this.#awaited.set(uri, version);
    return this.#last?.uri === uri && this.#last.version === version ? this.#last.changes : [];
  }

  closed(uri: string): void {
    if (this.#last?.uri === uri) this.#last = null;
    this.#awaited.delete(uri);
  }
}
