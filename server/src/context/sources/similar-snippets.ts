import type { ContextCandidate, ContextSource, IndexedFile } from '../context-source.js';
import { jaccard, type SnippetWindow, WINDOW_LINES, wordHashes } from '../snippet-windows.js';
import { excerpt } from './excerpt.js';

/** The lines after a similar place are what the user may want here. */
const FOLLOWING_LINES = 4;
/** How many of the lines around the cursor are below it. */
const QUERY_LINES_BELOW = 2;
const MINIMUM_QUERY_WORDS = 4;

const MINIMUM_SIMILARITY = 0.2;
const MAXIMUM_SNIPPETS = 4;
const BASE_SCORE = 0.25;
const MAXIMUM_SCORE = 0.9;

/** Places in files of the same language with the words above the cursor. */
export const SIMILAR_SNIPPETS: ContextSource = {
  why: 'similarSnippet',

  find({ files, family, nearbyLines, cursorLine, expired }) {
    const start = Math.max(0, cursorLine + QUERY_LINES_BELOW - WINDOW_LINES);
    const words = wordHashes(nearbyLines.slice(start, cursorLine + QUERY_LINES_BELOW));
    if (words.size < MINIMUM_QUERY_WORDS) return [];
    const best: ContextCandidate[] = [];
    for (const file of files) {
      if (file.family !== family) continue;
      if (expired()) break;
      const found = mostSimilar(file, words);
      if (found !== null) best.push(found);
    }
    best.sort((left, right) => right.score - left.score || (left.path < right.path ? -1 : 1));
    return best.slice(0, MAXIMUM_SNIPPETS);
  },
};

/** One per file: the next best usually overlaps with it. */
function mostSimilar(file: IndexedFile, words: ReadonlySet<number>): ContextCandidate | null {
  let best: SnippetWindow | null = null;
  let similarity = MINIMUM_SIMILARITY;
  for (const window of file.windows) {
    const each = jaccard(words, window);
    if (each > similarity) {
      best = window;
      similarity = each;
    }
  }
  if (best === null) return null;
  const { line, text } = excerpt(file.lines, best.start, best.end + FOLLOWING_LINES);
  const score = Math.min(MAXIMUM_SCORE, BASE_SCORE + similarity);
  return { path: file.path, fileKey: file.key, line, text, score, why: 'similarSnippet' };
}
