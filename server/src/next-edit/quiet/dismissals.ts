import type { Change } from '../../util/smallest-change.js';
import { kindOf } from '../repeat/repeated-edits.js';
import { replacedIn } from './changed-words.js';

const REMEMBERED = 256;

/**
 * Edits that the user refused. An edit is known by the tokens that it replaces, so that one tier does not offer what was
 * refused of another.
 */
export class Dismissals {
  readonly #kinds = new Set<string>();

  /** @param kind what its tier calls all edits like it; null where the tier has no name for them */
  add(text: string, change: Change, kind: string | null): void {
    for (const each of [...(kind === null ? [] : [kind]), ...kindsIn(text, change)]) {
      this.#kinds.delete(each);
      this.#kinds.add(each);
    }
    for (const oldest of this.#kinds) {
      if (this.#kinds.size <= REMEMBERED) break;
      this.#kinds.delete(oldest);
    }
  }

  has(text: string, change: Change, kind: string | null): boolean {
    if (this.#kinds.size === 0) return false;
    if (kind !== null && this.#kinds.has(kind)) return true;
    const kinds = kindsIn(text, change);
    return kinds.length > 0 && kinds.every((each) => this.#kinds.has(each));
  }
}

/** Every replacement of tokens in a change, found by comparing whole lines. */
function kindsIn(text: string, { start, end, newText }: Change): readonly string[] {
  const from = start === 0 ? 0 : text.lastIndexOf('\n', start - 1) + 1;
  const lineFeed = text.indexOf('\n', end);
  const to = lineFeed < 0 ? text.length : lineFeed;
  const before = text.slice(from, to);
  const after = text.slice(from, start) + newText + text.slice(end, to);
  return replacedIn(before, after).map((replaced) => kindOf({ from: [replaced.from], to: [replaced.to] }));
}
