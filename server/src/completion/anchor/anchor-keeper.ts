import type { ReanchorReason } from '../../../protocol/index.js';
import type { ContextBlock } from '../../prompt/context-block.js';
import type { DocumentChange } from '../cursor/edit-kind.js';
import {
  type Anchor,
  type AnchorBudget,
  anchorOffsetFor,
  type CursorPlace,
  createAnchor,
  followChange,
  reasonToReanchor,
} from './anchor.js';

/** The anchor of each open document. */
export class AnchorKeeper {
  readonly #anchors = new Map<string, Anchor>();

  /**
   * The anchor for a place: the document's anchor while it holds, otherwise a new one at the cursor's line.
   *
   * @param context what a new anchor shows of other files
   */
  anchorFor(
    place: CursorPlace,
    budget: AnchorBudget,
    context: ContextBlock,
  ): { readonly anchor: Anchor; readonly reanchored: ReanchorReason | null } {
    const present = this.#anchors.get(place.uri) ?? null;
    const reanchored = reasonToReanchor(present, place);
    if (present !== null && reanchored === null) return { anchor: present, reanchored };
    const anchor = createAnchor(place, anchorOffsetFor(place, budget), budget, context);
    this.#anchors.set(place.uri, anchor);
    return { anchor, reanchored };
  }

  /** Null where no anchor holds for the place. */
  holding(place: CursorPlace): Anchor | null {
    const present = this.#anchors.get(place.uri) ?? null;
    return reasonToReanchor(present, place) === null ? present : null;
  }

  /** Takes an anchor that idle work has made and perhaps evaluated. */
  set(anchor: Anchor): void {
    this.#anchors.set(anchor.uri, anchor);
  }

  /** @param changes in order; each refers to the document that the change before it left */
  follow(uri: string, changes: readonly DocumentChange[]): void {
    let anchor = this.#anchors.get(uri) ?? null;
    if (anchor === null) return;
    for (const { offset, removed, inserted } of changes) {
      if (anchor !== null) {
        anchor = followChange(anchor, { offset, removed: removed.length, inserted: inserted.length });
      }
    }
    if (anchor === null) this.#anchors.delete(uri);
    else this.#anchors.set(uri, anchor);
  }

  forget(uri: string): void {
    this.#anchors.delete(uri);
  }
}
