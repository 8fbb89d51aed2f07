import type { Declaration } from './declaration.js';

/**
 * `signature`: the head without its body. `whole`: everything, as for a type. `members`: the head and the signatures of
 * its members, as for a class. `record`: as a class if it has functions with bodies, otherwise everything.
 */
export type DeclarationShape = 'signature' | 'whole' | 'members' | 'record';

export interface DeclarationRule {
  /** Matches the first line; its group `name` is the declared name, if the line has it. */
  readonly pattern: RegExp;
  readonly shape: DeclarationShape;
  /** Whether the first line counts only with a body. */
  readonly needsBody?: boolean;
  /** Matches the last line, for which its group `name` is a declared name too. */
  readonly end?: RegExp;
}

export interface DeclarationStyle {
  readonly rules: readonly DeclarationRule[];
  /** The start of a body at a line's end, and its replacement in the signature. Empty where the line's end starts it. */
  readonly bodyOpen: '{' | ':' | '';
  readonly signatureEnd: string;
  /** What begins a comment at the end of a line. */
  readonly comment: '//' | '#';
  /** Lines in a body, without indentation, that do not help its user: comments, annotations, closing brackets. */
  readonly noise: RegExp;
  /** Lines directly above a declaration that belong to it. */
  readonly prefix?: RegExp;
  /** Lines that do not end a body although they are indented like its head. */
  readonly label?: RegExp;
  /** Begins and ends text of several lines in a body, such as a docstring. */
  readonly textMark?: RegExp;
  /** Matches a head that has its body in the same line, where `bodyOpen` is empty. */
  readonly oneLine?: RegExp;
  /** Begins a line that closes a body; brackets if absent. */
  readonly closing?: RegExp;
  /** A line, without indentation, behind which a body has nothing for others. */
  readonly hides?: RegExp;
}

const CLOSING_BRACKET = /^[)\]}]/;

/** Below the first line of a class: what it inherits, bounds of its types, the bracket of its body. */
const CONTINUES_HEAD = /^(?:\s+\S|\{|where\b)/;
/** What stands before a bracket that opens a value rather than a body. */
const EXPECTS_VALUE = /[=:([,?]$/;
const QUOTED = /(["'`])(?:\\.|(?!\1)[^\\])*\1/g;
/** The head of a function with a body, on a line of its own. */
const FUNCTION_HEAD = /\)[\w\s]*\{$/;

const MAXIMUM_SIGNATURE_LINES = 12;
/** With one parameter a line. */
const MAXIMUM_PARAMETER_LINES = 20;
const BEFORE_PARAMETERS = /[(,]$/;
const MAXIMUM_WHOLE_LINES = 30;
const MAXIMUM_MEMBERS = 24;
/** The most declarations of one file: a file with more is generated. */
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
    for (const rule of style.rules) {
      const match = rule.pattern.exec(head);
      if (match === null) continue;
      if (rule.needsBody === true && startOfBody(lines, endOfSignature(lines, line), style) === null) continue;
      const shown = declarationLines(lines, line, rule.shape, style);
      const names = [match.groups?.name, rule.end?.exec(shown.at(-1) ?? '')?.groups?.name];
      const prefix = style.prefix?.test(lines[line - 1] ?? '') ? [lines[line - 1] ?? ''] : [];
      const text = [...prefix, ...shown].map((each) => `${each}\n`).join('');
      for (const name of new Set(names)) if (name !== undefined) declarations.push({ name, line, text });
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
  if (shape === 'signature') return closeSignature(lines.slice(line, signatureEnd), style);
  const bodyStart = startOfBody(lines, signatureEnd, style);
  const isRecord = shape === 'record' && !(bodyStart !== null && hasFunctions(lines, bodyStart, style));
  if (shape === 'whole' || isRecord) return wholeLines(lines, line, bodyStart ?? signatureEnd, style);
  const head = lines.slice(line, bodyStart ?? signatureEnd);
  return bodyStart === null ? head : [...head, ...memberLines(lines, bodyStart, style)];
}

function hasFunctions(lines: readonly string[], from: number, style: DeclarationStyle): boolean {
  return lines
    .slice(from, endOfBody(lines, from, style))
    .some((line) => FUNCTION_HEAD.test(line.slice(-MAXIMUM_LINE_LENGTH)));
}

/** The line after the one that opens the body: the head's last one, or one below that continues the head; null without. */
function startOfBody(lines: readonly string[], signatureEnd: number, style: DeclarationStyle): number | null {
  const head = lines[signatureEnd - 1] ?? '';
  if (style.bodyOpen === '') return style.oneLine?.test(head) === true ? null : signatureEnd;
  if (headOfBody(head, style) !== null) return signatureEnd;
  if (style.bodyOpen !== '{' || /[;}]\s*$/.test(head)) return null;
  const last = Math.min(lines.length, signatureEnd + MAXIMUM_SIGNATURE_LINES);
  for (let line = signatureEnd; line < last; line++) {
    const each = lines[line] ?? '';
    if (!CONTINUES_HEAD.test(each) || each.length > MAXIMUM_LINE_LENGTH) return null;
    if (headOfBody(each, style) !== null) return line + 1;
  }
  return null;
}

/** What stands before a body that a line opens at its end; null if it opens none. */
function headOfBody(line: string, style: DeclarationStyle): string | null {
  const { bodyOpen } = style;
  if (bodyOpen === '') return null;
  const code = withoutComment(line, style);
  return code.endsWith(bodyOpen) ? code.slice(0, -bodyOpen.length).trimEnd() : null;
}

/** The line after the one that closes all brackets of the head. */
function endOfSignature(lines: readonly string[], line: number): number {
  let open = 0;
  const hasParameters = BEFORE_PARAMETERS.test(lines[line] ?? '');
  const most = hasParameters ? MAXIMUM_PARAMETER_LINES : MAXIMUM_SIGNATURE_LINES;
  const last = Math.min(lines.length, line + most);
  for (let end = line; end < last; end++) {
    for (const character of lines[end] ?? '') {
      if (character === '(' || character === '[') open++;
      else if (character === ')' || character === ']') open--;
    }
    if (open <= 0) return end + 1;
  }
  return line + 1;
}

function withoutComment(line: string, { comment }: DeclarationStyle): string {
  const start = line.indexOf(` ${comment}`);
  return (start < 0 ? line : line.slice(0, start)).trimEnd();
}

function closeSignature(head: readonly string[], style: DeclarationStyle): string[] {
  const last = head.at(-1) ?? '';
  const before = headOfBody(last, style);
  if (before === null) return head.length > 1 ? [...head] : [shortened(last, style)];
  const isValue = style.bodyOpen === '{' && EXPECTS_VALUE.test(before);
  return [...head.slice(0, -1), `${isValue ? shortened(last, style) : before}${style.signatureEnd}`];
}

/** A line that leaves brackets open, without what is in them. */
function shortened(line: string, style: DeclarationStyle): string {
  const code = withoutComment(line, style);
  const closers = closersOf(code.replace(QUOTED, ''));
  if (closers === '' || code.endsWith('\\')) return line;
  if (code.endsWith('{')) return `${code} ... ${closers}`;
  return `${code}${/[([]$/.test(code) ? '' : ' '}...${closers}`;
}

/** What closes the brackets that a line leaves open. */
function closersOf(line: string): string {
  let closers = '';
  for (const character of line) {
    if (character === '(') closers = `)${closers}`;
    else if (character === '[') closers = `]${closers}`;
    else if (character === '{') closers = `}${closers}`;
    else if (character === closers[0]) closers = closers.slice(1);
  }
  return closers;
}

function wholeLines(lines: readonly string[], line: number, from: number, style: DeclarationStyle): string[] {
  const end = endOfBody(lines, from, style);
  if (end - line <= MAXIMUM_WHOLE_LINES) return lines.slice(line, end).filter((each) => each.length > 0);
  const start = lines.slice(line, line + MAXIMUM_WHOLE_LINES - 1).filter((each) => each.length > 0);
  const closing = lines[end - 1] ?? '';
  return (style.closing ?? CLOSING_BRACKET).test(closing) ? [...start, closing] : start;
}

/** The signatures directly inside a body, with its closing line. */
function memberLines(lines: readonly string[], from: number, style: DeclarationStyle): string[] {
  const end = endOfBody(lines, from, style);
  const body = lines.slice(from, end);
  const first = body.find((each) => /^\s+\S/.test(each) && !style.label?.test(each));
  const margin = first === undefined ? 0 : indentationOf(first);
  const members: string[] = [];
  let count = 0;
  let inText = false;
  for (let index = 0; index < body.length && count < MAXIMUM_MEMBERS; index++) {
    const each = body[index] ?? '';
    const wasInText = inText;
    if (style.textMark !== undefined && each.split(style.textMark).length % 2 === 0) inText = !inText;
    if (wasInText || each.trim() === '' || each.length > MAXIMUM_LINE_LENGTH) continue;
    if (style.label?.test(each)) members.push(each);
    if (indentationOf(each) === margin && style.hides?.test(each.trim()) === true) break;
    if (indentationOf(each) !== margin || margin === 0 || style.noise.test(each.trimStart())) continue;
    const signatureEnd = inText ? index + 1 : endOfSignature(body, index);
    members.push(...closeSignature(body.slice(index, signatureEnd), style));
    index = signatureEnd - 1;
    count++;
  }
  const closing = lines[end - 1] ?? '';
  return (style.closing ?? CLOSING_BRACKET).test(closing) ? [...members, closing] : members;
}

/** The line after the body, which includes an unindented closing bracket and no other unindented line. */
function endOfBody(lines: readonly string[], from: number, style: DeclarationStyle): number {
  for (let line = from; line < lines.length; line++) {
    const each = lines[line] ?? '';
    if (each === '' || /^\s/.test(each) || style.label?.test(each)) continue;
    return (style.closing ?? CLOSING_BRACKET).test(each) ? line + 1 : lastFilled(lines, from, line);
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
