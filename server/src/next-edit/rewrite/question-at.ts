import { estimateTokens } from '../../prompt/token-budget.js';
import { firstLines, lastLines } from '../formats/editable-region.js';
import type { RecentEdit, RelatedSnippet, RewriteFormat, RewriteQuestion } from '../formats/rewrite-format.js';
import { beforeEdits } from './before-edits.js';
import type { Region } from './regions.js';

/** A file in which a next edit may be. */
export interface AskedFile {
  readonly path: string;
  /** With `\n` line ends. */
  readonly text: string;
  /** Offset in the text; null where the user is in another file. */
  readonly cursor: number | null;
  /** Definitions in other files, the most useful ones first. */
  readonly related: readonly RelatedSnippet[];
}

/** Headers and marks. */
const FRAME_TOKENS = 96;
/** Definitions take no more, since each is evaluated once for every file. */
const MOST_RELATED_TOKENS = 512;

/**
 * What a model is asked of a region, within a number of tokens; null where the region alone takes more. What a prompt
 * has no room for is left out: first definitions, then the file around the region, then old edits.
 *
 * @param edits of all files, oldest first
 * @param contextLength tokens of prompt and answer
 */
export function questionAt(
  file: AskedFile,
  { start, end, firstLine }: Region,
  edits: readonly RecentEdit[],
  format: RewriteFormat,
  contextLength: number,
): RewriteQuestion | null {
  const current = file.text.slice(start, end);
  if (current.trim() === '') return null;
  const own = edits.filter(({ path }) => path === file.path);
  const original = beforeEdits(file.text, start, end, own);
  // The region stands in the prompt as it was and as it is, and the answer may be half as long again.
  const region = estimateTokens(current);
  let room = contextLength - FRAME_TOKENS - estimateTokens(original) - region - Math.ceil(region * 1.5);
  if (room < 0) return null;
  const shown: RecentEdit[] = [];
  for (const edit of [...edits].reverse()) {
    room -= estimateTokens(edit.original) + estimateTokens(edit.updated) + estimateTokens(edit.path);
    if (room < 0) break;
    shown.unshift(edit);
  }
  if (shown.length === 0) return null;
  const { above, below } = surroundings(file.text, start, end, format.around, room);
  room -= estimateTokens(above) + estimateTokens(below);
  const { cursor } = file;
  const inside = cursor !== null && cursor >= start && cursor <= end;
  return {
    path: file.path,
    related: format.related ? fitting(file.related, Math.min(room, MOST_RELATED_TOKENS)) : [],
    edits: shown,
    firstLine,
    original,
    current,
    cursor: inside ? cursor - start : null,
    above,
    below,
  };
}

/** The first ones that there is room for. */
function fitting(snippets: readonly RelatedSnippet[], tokens: number): readonly RelatedSnippet[] {
  let room = tokens;
  return snippets.filter(({ path, text }) => {
    const needed = estimateTokens(path) + estimateTokens(text);
    if (needed > room) return false;
    room -= needed;
    return true;
  });
}

/** As many lines on each side as there is room for. */
function surroundings(text: string, start: number, end: number, most: number, room: number) {
  let lines = most;
  for (; lines > 0; lines = Math.floor(lines / 2)) {
    const above = lastLines(text.slice(0, start), lines);
    const below = firstLines(text.slice(end), lines);
    if (estimateTokens(above) + estimateTokens(below) <= room) return { above, below };
  }
  return { above: '', below: '' };
}
