import type { Change } from '../../util/smallest-change.js';
import { kindOf } from '../repeat/repeated-edits.js';
import { replacedIn } from './changed-words.js';

const REMEMBERED = 256;
/** How much of the line is kept on each side of a change: a long line may have hundreds of due edits. */
const LONGEST_PART = 100;

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

/** Every replacement of tokens in a change, found by comparing lines: a change may begin and end within a token. */
function kindsIn(text: string, { start, end, newText }: Change): readonly string[] {
  const ahead = text.slice(Math.max(0, start - LONGEST_PART), start);
  const behind = text.slice(end, end + LONGEST_PART);
  const lineFeed = behind.indexOf('\n');
  const left = ahead.slice(ahead.lastIndexOf('\n') + 1);
  const right = lineFeed < 0 ? behind : behind.slice(0, lineFeed);
  const replaced = replacedIn(left + text.slice(start, end) + right, left + newText + right);
  return replaced.map(({ from, to }) => kindOf({ from: [from], to: [to] }));
}
