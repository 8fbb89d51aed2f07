import type { ContextQuery } from '../context-source.js';

/** In lines; names count less with their distance from the cursor. */
const REACH_ABOVE = 40;
const REACH_BELOW = 12;
const IMPORT_LINE = /^\s*(?:import|export\s+(?:\*|\{)|from|use|pub use|#\s*include|package|mod)\b/;

/** Nearness of each name, above 0 and at most 1. */
export type Nearness = ReadonlyMap<string, number>;

/** The names that are used around the cursor; an import alone does not use one. */
export function namesNearby({ nearbyLines, cursorLine }: Pick<ContextQuery, 'nearbyLines' | 'cursorLine'>): Nearness {
  const names = new Map<string, number>();
  const first = Math.max(0, cursorLine - REACH_ABOVE);
  const last = Math.min(nearbyLines.length - 1, cursorLine + REACH_BELOW);
  for (let line = first; line <= last; line++) {
    const text = nearbyLines[line] ?? '';
    if (IMPORT_LINE.test(text)) continue;
    const nearness = 1 - Math.abs(line - cursorLine) / (REACH_ABOVE + 1);
    for (const [name] of text.matchAll(/[\p{L}_$][\p{L}\p{N}_$]*/gu)) {
      names.set(name, Math.max(nearness, names.get(name) ?? 0));
    }
  }
  return names;
}
