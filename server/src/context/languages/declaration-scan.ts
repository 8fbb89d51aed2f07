import type { Declaration } from './declaration.js';

/**
 * `signature`: the head without its body. `whole`: everything, as for a type. `members`: the head and the signatures of
 * its members, as for a class.
 */
export type DeclarationShape = 'signature' | 'whole' | 'members';

export interface DeclarationRule {
  /** Matches the first line; its group `name` is the declared name. */
  readonly pattern: RegExp;
  readonly shape: DeclarationShape;
}

export interface DeclarationStyle {
  readonly rules: readonly DeclarationRule[];
  /** The start of a body at a line's end, and its replacement in the signature. */
  readonly bodyOpen: '{' | ':';
  readonly signatureEnd: string;
  /** Lines in a body, without indentation, that do not help its user: comments, annotations, closing brackets. */
  readonly noise: RegExp;
  /** Lines directly above a declaration that belong to it. */
  readonly prefix?: RegExp;
  /** Lines that do not end a body although they are indented like its head. */
  readonly label?: RegExp;
}

const MAXIMUM_SIGNATURE_LINES = 12;
const MAXIMUM_WHOLE_LINES = 30;
const MAXIMUM_MEMBERS = 24;
/** Of one file. More declarations are generated. */
const MAXIMUM_DECLARATIONS = 1_000;
/** Longer lines are data or generated. */
const MAXIMUM_LINE_LENGTH = 240;

/**
 * The declarations without indentation. Indentation decides where a body ends: formatted code has it right, and
 * strings, comments and regular expressions cannot mislead it.
 */
export function scanDeclarations(lines: readonly string[], style: DeclarationStyle): Declaration[] {
  const declarations: Declaration[] = [];
  for (let line = 0; line < lines.length && declarations.length < MAXIMUM_DECLARATIONS; line++) {
    const head = lines[line] ?? '';
    if (head === '' || /^\s/.test(head) || head.length > MAXIMUM_LINE_LENGTH) continue;
    for (const { pattern, shape } of style.rules) {
      const name = pattern.exec(head)?.groups?.name;
      if (name === undefined) continue;
      const prefix = style.prefix?.test(lines[line - 1] ?? '') ? [lines[line - 1] ?? ''] : [];
      const text = [...prefix, ...declarationLines(lines, line, shape, style)];
      declarations.push({ name, line, text: text.map((each) => `${each}\n`).join('') });
      break;
    }
  }
  return declarations;
}

function declarationLines(
  lines: readonly string[],
  line: number,
  shape: DeclarationShape,
  style: DeclarationStyle,
): string[] {
  const signatureEnd = endOfSignature(lines, line);
  const head = lines.slice(line, signatureEnd);
  const opensBody = (head.at(-1) ?? '').trimEnd().endsWith(style.bodyOpen);
  if (!opensBody) return shape === 'whole' ? wholeLines(lines, line, signatureEnd, style) : head;
  switch (shape) {
    case 'signature':
      return closeSignature(head, style);
    case 'whole':
      return wholeLines(lines, line, signatureEnd, style);
    case 'members':
      return [...head, ...memberLines(lines, signatureEnd, style)];
  }
}

/** The line after the one that closes all brackets of the head. */
function endOfSignature(lines: readonly string[], line: number): number {
  let open = 0;
  const last = Math.min(lines.length, line + MAXIMUM_SIGNATURE_LINES);
  for (let end = line; end < last; end++) {
    for (const character of lines[end] ?? '') {
      if (character === '(' || character === '[') open++;
      else if (character === ')' || character === ']') open--;
    }
    if (open <= 0) return end + 1;
  }
  return line + 1;
}

function closeSignature(head: readonly string[], { bodyOpen, signatureEnd }: DeclarationStyle): string[] {
  const last = (head.at(-1) ?? '').trimEnd();
  if (!last.endsWith(bodyOpen)) return [...head];
  return [...head.slice(0, -1), last.slice(0, -bodyOpen.length).trimEnd() + signatureEnd];
}

function wholeLines(lines: readonly string[], line: number, from: number, style: DeclarationStyle): string[] {
  const end = endOfBody(lines, from, style);
  if (end - line <= MAXIMUM_WHOLE_LINES) return lines.slice(line, end).filter((each) => each.length > 0);
  const start = lines.slice(line, line + MAXIMUM_WHOLE_LINES - 1).filter((each) => each.length > 0);
  const closing = lines[end - 1] ?? '';
  return /^[)\]}]/.test(closing) ? [...start, closing] : start;
}

/** The signatures directly inside a body, with its closing line. */
function memberLines(lines: readonly string[], from: number, style: DeclarationStyle): string[] {
  const end = endOfBody(lines, from, style);
  const body = lines.slice(from, end);
  const first = body.find((each) => /^\s+\S/.test(each) && !style.label?.test(each));
  const margin = first === undefined ? 0 : indentationOf(first);
  const members: string[] = [];
  let count = 0;
  for (let index = 0; index < body.length && count < MAXIMUM_MEMBERS; index++) {
    const each = body[index] ?? '';
    if (each.trim() === '' || each.length > MAXIMUM_LINE_LENGTH) continue;
    if (style.label?.test(each)) members.push(each);
    if (indentationOf(each) !== margin || margin === 0 || style.noise.test(each.trimStart())) continue;
    const signatureEnd = endOfSignature(body, index);
    members.push(...closeSignature(body.slice(index, signatureEnd), style));
    index = signatureEnd - 1;
    count++;
  }
  const closing = lines[end - 1] ?? '';
  return /^[)\]}]/.test(closing) ? [...members, closing] : members;
}

/** The line after the body, which includes an unindented closing bracket and no other unindented line. */
function endOfBody(lines: readonly string[], from: number, { label }: DeclarationStyle): number {
  for (let line = from; line < lines.length; line++) {
    const each = lines[line] ?? '';
    if (each === '' || /^\s/.test(each) || label?.test(each)) continue;
    return /^[)\]}]/.test(each) ? line + 1 : lastFilled(lines, from, line);
  }
  return lastFilled(lines, from, lines.length);
}

function lastFilled(lines: readonly string[], from: number, end: number): number {
  let last = end;
  while (last > from && lines[last - 1]?.trim() === '') last--;
  return last;
}

function indentationOf(line: string): number {
  return line.length - line.trimStart().length;
}
