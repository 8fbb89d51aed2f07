/** Compared with about as many lines above the cursor. */
export const WINDOW_LINES = 16;
const STRIDE_LINES = 8;

/** Fewer distinct words are too few to compare. */
const MINIMUM_WORDS = 6;

/** A range of lines with the set of its words. */
export interface SnippetWindow {
  /** Half-open, in lines. */
  readonly start: number;
  readonly end: number;
  /** Distinct hashes. */
  readonly words: Uint32Array;
}

/** Overlapping windows of a file, without those with too few words. A generator, so that the caller can pause. */
export function* snippetWindows(lines: readonly string[]): Generator<SnippetWindow> {
  let words = wordHashes(lines.slice(0, STRIDE_LINES));
  for (let start = 0; start === 0 || start + STRIDE_LINES < lines.length; start += STRIDE_LINES) {
    const following = wordHashes(lines.slice(start + STRIDE_LINES, start + WINDOW_LINES));
    const all = new Set([...words, ...following]);
    const end = Math.min(start + WINDOW_LINES, lines.length);
    if (all.size >= MINIMUM_WORDS) yield { start, end, words: Uint32Array.from(all) };
    words = following;
  }
}

/** Hashes of the distinct words of some lines, without words that every file of a language contains. */
export function wordHashes(lines: readonly string[]): Set<number> {
  const hashes = new Set<number>();
  for (const line of lines) {
    for (const [word] of line.matchAll(WORD)) {
      if (!COMMON_WORDS.has(word)) hashes.add(hash(word));
    }
  }
  return hashes;
}

/** Size of the intersection over size of the union; 0 to 1. */
export function jaccard(words: ReadonlySet<number>, window: SnippetWindow): number {
  let common = 0;
  for (const word of window.words) {
    if (words.has(word)) common++;
  }
  return common / (words.size + window.words.length - common);
}

const WORD = /[\p{L}_$][\p{L}\p{N}_$]+/gu;

const COMMON_WORDS = new Set(
  (
    'abstract and as assert async await auto bool boolean break case catch class const continue def default del do ' +
    'elif else enum except export extends extern false False final finally fn for from func function global if impl ' +
    'implements import in include inline instanceof int interface is lambda let long match mod mut namespace new nil ' +
    'None not null number of or override package pass private protected pub public raise readonly return self Self ' +
    'short static string str struct super switch template this throw throws trait true True try type typedef typeof ' +
    'undefined union unknown unsafe unsigned use using var virtual void volatile where while with yield'
  ).split(' '),
);

/** FNV-1a over UTF-16 units: uniform enough for sets of words. */
function hash(word: string): number {
  let value = 0x811c9dc5;
  for (let index = 0; index < word.length; index++) {
    value = Math.imul(value ^ word.charCodeAt(index), 0x01000193);
  }
  return value >>> 0;
}
