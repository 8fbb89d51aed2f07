import { toLineFeeds } from '../../../server/protocol/index.js';
import { leavesOut } from '../chat/code/code-place.js';
import { reindent } from '../chat/code/proposed-change.js';

/** What an answer says of a part: its new lines, or why there are none. */
export type Rewrite =
  | { readonly kind: 'lines'; readonly lines: readonly string[] }
  | { readonly kind: 'noCode' | 'leavesOut' | 'unchanged' | 'tooLong' };

/** An answer without a fence is code if it has at least this share of the part's lines. */
const LEAST_COMMON_SHARE = 0.5;

/** The longest answer that can be a rewrite, in characters. */
export function longestAnswer(part: string): number {
  return part.length * 4 + 8_000;
}

/** Reads an answer, which may be any text. Works in time linear to its length. */
export function readRewrite(answer: string, part: string): Rewrite {
  if (answer.length > longestAnswer(part)) return { kind: 'tooLong' };
  const old = part.split('\n');
  const known = new Set(old.map((line) => line.trim()).filter((line) => line !== ''));
  const common = (lines: readonly string[]) => lines.filter((line) => known.has(line.trim())).length;
  const lines = toLineFeeds(answer).split('\n');
  let chosen: readonly string[] | null = null;
  let most = -1;
  for (const block of fencedBlocks(lines)) {
    const count = common(block);
    if (count > most) [chosen, most] = [block, count];
  }
  if (chosen === null && known.size > 0 && common(lines) >= old.length * LEAST_COMMON_SHARE) chosen = lines;
  if (chosen === null) return { kind: 'noCode' };
  const written = withoutBlankEnds(chosen);
  if (written.length === 0) return known.size === 0 ? { kind: 'noCode' } : { kind: 'lines', lines: [] };
  if (leavesOut(written) && !leavesOut(old)) return { kind: 'leavesOut' };
  // The blank lines at the ends of a selection stay: models leave them out.
  const first = known.size === 0 ? 0 : firstOf(old);
  const end = known.size === 0 ? old.length : lastOf(old) + 1;
  const text = reindent(written.join('\n'), old.slice(first, end).join('\n'));
  const rewritten = [...old.slice(0, first), ...text.split('\n'), ...old.slice(end)];
  return rewritten.join('\n') === part ? { kind: 'unchanged' } : { kind: 'lines', lines: rewritten };
}

/** The contents of the code blocks; the last one may lack its end. */
function fencedBlocks(lines: readonly string[]): string[][] {
  const blocks: string[][] = [];
  let open: { readonly fence: string; readonly lines: string[] } | null = null;
  for (const line of lines) {
    const fence = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? null;
    if (open === null) {
      if (fence === null) continue;
      open = { fence, lines: [] };
      blocks.push(open.lines);
    } else if (fence?.startsWith(open.fence) && line.trim() === fence) open = null;
    else open.lines.push(line);
  }
  return blocks;
}

function withoutBlankEnds(lines: readonly string[]): readonly string[] {
  const first = firstOf(lines);
  return first < 0 ? [] : lines.slice(first, lastOf(lines) + 1);
}

/** The first line that is not blank; -1 if all are. */
function firstOf(lines: readonly string[]): number {
  return lines.findIndex((line) => line.trim() !== '');
}

function lastOf(lines: readonly string[]): number {
  return lines.findLastIndex((line) => line.trim() !== '');
}
