import { classifyEdit, type DocumentChange, type EditKind, editEnd, editRange } from '../cursor/edit-kind.js';

/** What the server knows of an open document besides its text. */
export interface DocumentState {
  readonly lastEdit: EditKind | 'undone' | null;
  /** Whether the cursor is elsewhere. */
  readonly movedSinceEdit: boolean;
  /** Moves of the cursor within the last moments. */
  readonly recentMoves: number;
}

interface Remembered {
  version: number;
  /** The version that the last undo or redo made, perhaps still to come; null without one. */
  undoneVersion: number | null;
  lastEdit: EditKind | 'undone' | null;
  /** End of the user's last change. */
  editEnd: number;
  /** From the first place of that change to the last. */
  edited: { readonly start: number; readonly end: number };
  movedSinceEdit: boolean;
  /** Times of the latest cursor moves, oldest first. */
  moves: number[];
}

const UNKNOWN: DocumentState = { lastEdit: null, movedSinceEdit: false, recentMoves: 0 };

const MOMENT_MS = 500;

/** Follows the user in each open document: the kind of the last edit, and the cursor's moves since. */
export class DocumentStates {
  readonly #documents = new Map<string, Remembered>();

  edited(
    uri: string,
    version: number,
    changes: readonly DocumentChange[],
    isSuggested: (change: DocumentChange) => boolean,
    textBefore?: (offset: number) => string,
  ): void {
    const kind = classifyEdit(changes, isSuggested, textBefore);
    const end = editEnd(changes);
    const range = editRange(changes);
    if (kind === null || end === null || range === null) return;
    const state = this.#of(uri);
    state.version = version;
    state.lastEdit = version === state.undoneVersion ? 'undone' : kind;
    state.editEnd = end;
    state.edited = range;
    state.movedSinceEdit = false;
    state.moves = [];
  }

  /** An undo or redo made this version. The notification may arrive before or after the change itself. */
  undone(uri: string, version: number): void {
    const state = this.#of(uri);
    if (version < state.version) return;
    state.undoneVersion = version;
    state.lastEdit = 'undone';
  }

  /** Whether no later edit than the one that made this version is known. */
  isLatest(uri: string, version: number): boolean {
    return version >= (this.#documents.get(uri)?.version ?? 0);
  }

  /** @param now in milliseconds of a monotonic clock */
  cursorMoved(uri: string, offset: number, now: number): void {
    const state = this.#of(uri);
    if (offset === state.editEnd) return;
    state.movedSinceEdit = true;
    state.moves = [...state.moves.filter((time) => now - time < MOMENT_MS), now];
  }

  closed(uri: string): void {
    this.#documents.delete(uri);
  }

  /**
   * An edit elsewhere, such as an import that the editor adds, counts like one that the cursor has moved away from. An undo
   * may leave the cursor anywhere.
   *
   * @param offset of the cursor
   */
  of(uri: string, now: number, offset: number): DocumentState {
    const state = this.#documents.get(uri);
    if (state === undefined) return UNKNOWN;
    const { lastEdit, edited, moves } = state;
    const isElsewhere = lastEdit !== 'undone' && (offset < edited.start || offset > edited.end);
    const movedSinceEdit = state.movedSinceEdit || isElsewhere;
    return { lastEdit, movedSinceEdit, recentMoves: moves.filter((time) => now - time < MOMENT_MS).length };
  }

  #of(uri: string): Remembered {
    const known = this.#documents.get(uri);
    if (known !== undefined) return known;
    const created: Remembered = {
      version: 0,
      undoneVersion: null,
      lastEdit: null,
      editEnd: -1,
      edited: { start: 0, end: Number.POSITIVE_INFINITY },
      movedSinceEdit: false,
      moves: [],
    };
    this.#documents.set(uri, created);
    return created;
  }
}
