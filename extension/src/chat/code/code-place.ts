import {
  type DeclaredPart,
  declaredParts,
  indentOf,
  isAbove,
  isClosing,
  isContainer,
  isVariable,
  linesOutside,
  outermostParts,
  withoutLocalVariables,
} from './declared-parts.js';
import type { Hunk } from './line-hunks.js';

/** A comment that stands for code which the model left out. */
const LEFT_OUT =
  /^\s*(?:\/\/|#|--|;|%|\/\*|<!--|\{\/\*)\s*(?:\.{3}|…)|^\s*(?:\.{3}|…)\s*$|^\s*(?:\/\/|#|--|\/\*|<!--)\s*(?:the )?(?:rest of|existing code|other (?:methods|code)|unchanged)/i;
export const IMPORTS = /^(?:import|from|use|using|#include)\b/;
/** Shorter lines, such as brackets, say nothing of their place. */
const SHORTEST_ANCHOR = 4;
/** The least share of the code's lines that the text must have, where only equal lines tell the place. */
const LEAST_COMMON_SHARE = 0.4;
/** A declaration inside another one, as a method of a class, and one more. */
const DEEPEST = 2;

/** Lines of a text. */
export interface LineRange {
  readonly start: number;
  /** The line after the last one. */
  readonly end: number;
}

/**
 * Where code belongs in a text, by the declarations that both have.
 *
 * @param seen lines that the model was shown; of a class with others, it replaces only the members that it names
 * @returns the text's lines that the code replaces; null if no declaration of the code is in the text, if one is there
 * several times, or if other code is left over
 */
export function placesByName(code: readonly string[], text: readonly string[], seen: LineRange): Hunk[] | null {
  const target = {
    lines: text,
    present: new Set(text.map((line) => line.trim())),
    importsEnd: endOfImports(text),
    seen,
  };
  const places = placesWithin(code, target, { start: 0, end: text.length }, DEEPEST);
  if (places === null || places.length === 0) return null;
  places.sort((left, right) => left.start - right.start);
  const overlap = places.some(({ start }, index) => index > 0 && start < (places[index - 1]?.end ?? 0));
  return overlap ? null : places;
}

/**
 * Where code belongs in a text, by lines that both have once: the code replaces the text from the first to the last of
 * them.
 *
 * @returns null if too few lines say the place
 */
export function placeByLines(code: readonly string[], text: readonly string[]): Hunk | null {
  if (leavesOut(code)) return null;
  const inText = linesOnce(text);
  const inCode = linesOnce(code);
  let [first, last, found] = [-1, -1, 0];
  for (const [line] of inCode) {
    const at = inText.get(line);
    if (at === undefined) continue;
    // The order of the code is the order of the text, or the place is not certain.
    if (at <= last) return null;
    if (first < 0) first = at;
    last = at;
    found++;
  }
  const significant = code.filter(isSignificant).length;
  if (found < 2 || found < significant * LEAST_COMMON_SHARE) return null;
  // Lines before the first common one may be new versions of any; comments are new.
  const head = code.findIndex((line) => line.trim() === text[first]?.trim());
  if (code.slice(0, head).some((line) => line.trim() !== '' && !isAbove(line))) return null;
  // The last common line may begin a block, and brackets after it close the code and the text.
  let after = blockEnd(code, lastIndexOf(code, text[last] ?? ''));
  let end = blockEnd(text, last);
  while (after < code.length && end < text.length && code[after]?.trim() === text[end]?.trim()) {
    after++;
    end++;
  }
  if (code.slice(after).some((line) => line.trim() !== '')) return null;
  return { start: first, end, lines: indented(code, lineWith(code, text[first] ?? ''), text[first] ?? '') };
}

/** The line after those that are indented more than a line, and blank ones between them. */
function blockEnd(lines: readonly string[], line: number): number {
  let end = line + 1;
  for (let at = end; at < lines.length; at++) {
    const text = lines[at] ?? '';
    if (text.trim() === '') continue;
    if (indentOf(text) <= indentOf(lines[line] ?? '')) break;
    end = at + 1;
  }
  return end;
}

/** Whether comments stand for code that was left out. */
export function leavesOut(code: readonly string[]): boolean {
  return code.some((line) => LEFT_OUT.test(line));
}

/** How much of what a text declares at its outermost level the code declares too. */
export function declaredAgain(code: readonly string[], text: readonly string[]): 'all' | 'some' | 'textHasNone' {
  const names = new Set(declaredParts(code).map(({ name }) => name));
  const outermost = declaredParts(text).filter(({ head }) => indentOf(text[head] ?? '') === 0);
  if (outermost.length === 0) return 'textHasNone';
  return outermost.every(({ name }) => names.has(name)) ? 'all' : 'some';
}

interface Part {
  readonly declared: DeclaredPart | null;
  readonly lines: readonly string[];
}

/** The text in which code has its places. */
interface Target {
  readonly lines: readonly string[];
  /** The lines without the blanks around them. */
  readonly present: ReadonlySet<string>;
  /** The line after the last import. */
  readonly importsEnd: number;
  /** What the model was shown. */
  readonly seen: LineRange;
}

interface GrowingHunk extends Hunk {
  readonly lines: string[];
}

function placesWithin(
  code: readonly string[],
  { lines: text, present, importsEnd, seen }: Target,
  within: LineRange,
  depth: number,
): Hunk[] | null {
  const parts = partsOf(code);
  const known = new Map<string, DeclaredPart[]>();
  const around = text.slice(within.start, within.end);
  for (const part of withoutLocalVariables(declaredParts(around), around)) {
    const { name, start, head, end } = part;
    const moved = { name, start: start + within.start, head: head + within.start, end: end + within.start };
    known.set(name, [...(known.get(name) ?? []).slice(0, 8), moved]);
  }
  const places: Hunk[] = [];
  const waiting: string[] = [];
  let last: GrowingHunk | null = null;
  // Code that names a class and its members apart has each line read twice. What names one again and again has no
  // certain place, and would have it read as often.
  let unread = 2 * (within.end - within.start);
  for (const { declared, lines } of parts) {
    if (declared === null) {
      const added = lines.filter((line) => line.trim() !== '' && !isAbove(line) && !present.has(line.trim()));
      if (added.length === 0) continue;
      if (!added.every((line) => IMPORTS.test(line))) return null;
      places.push({ start: importsEnd, end: importsEnd, lines: added });
      continue;
    }
    const target = sameDeclaration(declared, lines, known.get(declared.name) ?? [], text, seen);
    if (target === 'unclear') return null;
    if (target === null) {
      // A new declaration goes after the one before it, or before the next one.
      if (leavesOut(lines)) return null;
      if (last === null) waiting.push(...lines, '');
      else last.lines.push('', ...sameIndent(lines, last.lines));
      continue;
    }
    unread -= target.end - target.head;
    if (unread < 0) return null;
    const head = lines[declared.head] ?? '';
    if (leavesOut(lines) || removesUnseen(lines, text, target, seen)) {
      if (depth === 0) return null;
      const inside = lines.slice(declared.head + 1, isClosing(lines.at(-1) ?? '') ? -1 : undefined);
      const written = inside.filter((line) => !LEFT_OUT.test(line));
      const inner = { start: target.head + 1, end: target.end };
      const innerPlaces = placesWithin(written, { lines: text, present, importsEnd, seen }, inner, depth - 1);
      if (innerPlaces === null || innerPlaces.length === 0) return null;
      places.push(...innerPlaces);
      continue;
    }
    // Comments and decorators stay where the code brings none.
    const start = declared.start < declared.head ? target.start : target.head;
    const placed = {
      start,
      end: target.end,
      lines: indented([...waiting, ...lines], head, text[target.head] ?? ''),
    };
    waiting.length = 0;
    places.push(placed);
    last = placed;
  }
  return waiting.length > 0 ? null : places;
}

/** The code's outermost declarations, and what is between them. */
function partsOf(code: readonly string[]): Part[] {
  const indents = code.filter((line) => line.trim() !== '' && !IMPORTS.test(line)).map(indentOf);
  const outermost = indents.reduce((least, indent) => Math.min(least, indent), Number.POSITIVE_INFINITY);
  const parts: Part[] = [];
  let at = 0;
  const addLoose = (end: number): void => {
    const lines = code.slice(at, end);
    if (lines.some((line) => line.trim() !== '')) parts.push({ declared: null, lines });
  };
  for (const { name, start, head, end } of declaredParts(code)) {
    if (head < at || indentOf(code[head] ?? '') > outermost) continue;
    addLoose(start);
    parts.push({ declared: { name, start: 0, head: head - start, end: end - start }, lines: code.slice(start, end) });
    at = end;
  }
  addLoose(code.length);
  return parts;
}

/** Among declarations with the name: the one whose first line is the same, or the one that the model was shown. */
function sameDeclaration(
  { head }: DeclaredPart,
  lines: readonly string[],
  named: readonly DeclaredPart[],
  text: readonly string[],
  seen: LineRange,
): DeclaredPart | 'unclear' | null {
  const candidates = named.filter((part) => isVariable(text[part.head] ?? '') === isVariable(lines[head] ?? ''));
  if (candidates.length <= 1) return candidates[0] ?? null;
  const wanted = lines[head]?.trim();
  const same = candidates.filter((candidate) => text[candidate.head]?.trim() === wanted);
  if (same.length === 1) return same[0] ?? null;
  const shown = candidates.filter((candidate) => candidate.head >= seen.start && candidate.head < seen.end);
  return shown.length === 1 ? (shown[0] ?? null) : 'unclear';
}

/** Whether code would remove members of a class, or lines between them, that the model was not shown. */
function removesUnseen(
  code: readonly string[],
  text: readonly string[],
  target: DeclaredPart,
  seen: LineRange,
): boolean {
  if (!isContainer(text[target.head] ?? '')) return false;
  const inside = target.head + 1;
  const isSeen = (line: number) => line + inside >= seen.start && line + inside < seen.end;
  const names = new Set(declaredParts(code).map(({ name }) => name));
  const lines = text.slice(inside, target.end);
  const members = outermostParts(declaredParts(lines));
  if (members.some(({ name, head }) => !isSeen(head) && !names.has(name))) return true;
  const written = new Set(code.map((line) => line.trim()));
  return linesOutside(members, lines).some((at) => {
    const line = lines[at] ?? '';
    return !isSeen(at) && isSignificant(line) && !isAbove(line) && !written.has(line.trim());
  });
}

function isSignificant(line: string): boolean {
  return line.trim().length >= SHORTEST_ANCHOR;
}

function endOfImports(text: readonly string[]): number {
  return text.findLastIndex((line) => IMPORTS.test(line)) + 1;
}

function sameIndent(lines: readonly string[], placed: readonly string[]): string[] {
  const first = placed.find((line) => line.trim() !== '') ?? '';
  return indented(lines, lines.find((line) => line.trim() !== '') ?? '', first);
}

/** Lines moved so that `line`, which is one of them, is indented like `like`. */
function indented(lines: readonly string[], line: string, like: string): string[] {
  const from = line.slice(0, indentOf(line));
  const to = like.slice(0, indentOf(like));
  if (from === to) return [...lines];
  return lines.map((each) => (each.trim() !== '' && each.startsWith(from) ? to + each.slice(from.length) : each));
}

/** The lines that are there once, with their numbers, in order. */
function linesOnce(lines: readonly string[]): Map<string, number> {
  const once = new Map<string, number>();
  const repeated = new Set<string>();
  lines.forEach((line, index) => {
    const text = line.trim();
    if (text.length < SHORTEST_ANCHOR || repeated.has(text)) return;
    if (once.delete(text)) repeated.add(text);
    else once.set(text, index);
  });
  return once;
}

function lineWith(lines: readonly string[], wanted: string): string {
  return lines[lastIndexOf(lines, wanted)] ?? '';
}

function lastIndexOf(lines: readonly string[], wanted: string): number {
  return lines.findLastIndex((line) => line.trim() === wanted.trim());
}
