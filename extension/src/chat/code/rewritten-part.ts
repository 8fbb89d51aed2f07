import { IMPORTS, type LineRange, leavesOut } from './code-place.js';
import {
  type DeclaredPart,
  declaredParts,
  isAbove,
  isClosing,
  isVariable,
  linesOutside,
  outermostParts,
  withoutLocalVariables,
} from './declared-parts.js';

/** The least share of the shorter text's words that a rewrite has in common with it. */
const SHARED_WORDS = 0.5;

/**
 * Whether code is a new version of a whole part of a text, by what both declare: the code declares again what the part
 * does, and nothing that is elsewhere in the text.
 */
export function repeatsDeclarations(code: readonly string[], text: readonly string[], part: LineRange): boolean {
  const old = text.slice(part.start, part.end);
  const all = declaredParts(text);
  const inPart = outermostParts(all.filter(({ head }) => head >= part.start && head < part.end));
  const functions = inPart.filter(({ head }) => !isVariable(text[head] ?? ''));
  const written = outermostParts(declaredParts(code));
  const names = new Set(written.filter(({ head }) => !isVariable(code[head] ?? '')).map(({ name }) => name));
  if (functions.length === 0 || !functions.every(({ name, end }) => names.has(name) && end <= part.end)) return false;
  if (leavesOut(code) && !leavesOut(old)) return false;
  // These go to the other imports.
  if (code.some((line) => IMPORTS.test(line)) && !old.some((line) => IMPORTS.test(line))) return false;
  const moved = inPart.map((each) => ({ ...each, head: each.head - part.start, end: each.end - part.start }));
  if (hasOtherLines(old, moved) && !hasOtherLines(code, written)) return false;
  return declaresNothingElsewhere(written, inPart, withoutLocalVariables(all, text), part);
}

/** Whether code is a new version of a part that declares no function, by the words of both. */
export function repeatsWords(
  code: readonly string[],
  text: readonly string[],
  part: LineRange,
  wanted: string,
): boolean {
  const all = declaredParts(text);
  const inPart = all.filter(({ head }) => head >= part.start && head < part.end);
  const written = outermostParts(declaredParts(code));
  const isFunction = (lines: readonly string[]) => (each: DeclaredPart) => !isVariable(lines[each.head] ?? '');
  const isWithinLine = !wanted.includes('\n') && wanted.trim() !== (text[part.start] ?? '').trim();
  if (written.some(isFunction(code)) || (!isWithinLine && inPart.some(isFunction(text)))) return false;
  if (leavesOut(code) && !leavesOut(wanted.split('\n'))) return false;
  if (code.some((line) => IMPORTS.test(line)) && !wanted.split('\n').some((line) => IMPORTS.test(line))) return false;
  const outermost = all.filter(({ head }) => !/^\s/.test(text[head] ?? ''));
  if (!declaresNothingElsewhere(written, inPart, outermost, part)) return false;
  const codeWords = wordsOf(code.join('\n'));
  const oldWords = wordsOf(wanted);
  const shared = [...codeWords].filter((word) => oldWords.has(word)).length;
  // A word alone is in much code that uses it.
  if (isWithinLine) return shared > codeWords.size * SHARED_WORDS;
  return shared > 0 && shared >= Math.min(codeWords.size, oldWords.size) * SHARED_WORDS;
}

function declaresNothingElsewhere(
  written: readonly DeclaredPart[],
  inPart: readonly DeclaredPart[],
  all: readonly DeclaredPart[],
  part: LineRange,
): boolean {
  const own = new Set(inPart.map(({ name }) => name));
  const others = all.filter(({ head }) => head < part.start || head >= part.end);
  const elsewhere = new Set(others.map(({ name }) => name));
  return written.every(({ name }) => own.has(name) || !elsewhere.has(name));
}

/** Whether there is code outside of these declarations. */
function hasOtherLines(lines: readonly string[], parts: readonly DeclaredPart[]): boolean {
  return linesOutside(parts, lines).some((at) => {
    const line = lines[at] ?? '';
    return line.trim() !== '' && !isAbove(line) && !isClosing(line) && !IMPORTS.test(line);
  });
}

function wordsOf(text: string): Set<string> {
  return new Set(text.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? []);
}
