import { type AddedParameter, DECLARES } from './added-parameter.js';
import { closeBehind, type Part, partsBetween } from './argument-lists.js';
import { presentOffset } from './edited-place.js';
import { declaredAt, isKnownElsewhere, usesElsewhere, usesOf } from './names/declared-name.js';
import { MOST_SCANNED } from './names/renamed-name.js';
import { seesDeclaration } from './names/sees-declaration.js';
import type { EditedText } from './replacement.js';
import { isPartOf, receiverAt, type SearchedText } from './searched-text.js';
import { wordsIn } from './sites.js';
import { tokensOf } from './token-difference.js';

/** A call that lacks the argument, as a change of the text. */
export interface CallChange {
  readonly start: number;
  readonly end: number;
  readonly newText: string;
}

/** A call with a longer list of arguments is not looked at. */
const LONGEST_CALL = 2_000;

/**
 * Every call of that very function which has as many arguments as before. Work grows with the text.
 *
 * @param edits of all documents: a call that got the argument by hand shows what else the function is called on
 */
export function callsLacking(
  parameter: AddedParameter,
  edits: readonly EditedText[],
  document: SearchedText,
  documentOf: (uri: string) => SearchedText | null,
): readonly CallChange[] {
  const { edit, offset: start, functionName, name } = parameter;
  const own = documentOf(edit.uri);
  const end = start + functionName.length;
  const offset = own === null ? null : presentOffset(edit, start, end, own.text);
  if (own === null || offset === null) return [];
  // The parameter may have been taken out again.
  const isThere = argumentsAt(own.text, offset + functionName.length)?.tokens.includes(name) ?? false;
  if (!isThere) return [];
  return callsOf(parameter, offset, edits, document, own).flatMap((call) => lacking(parameter, document, call));
}

/** Where the function is called, whatever the arguments. */
function callsOf(
  parameter: AddedParameter,
  offset: number,
  edits: readonly EditedText[],
  document: SearchedText,
  own: SearchedText,
): readonly number[] {
  const { functionName, argumentsBefore } = parameter;
  const isOwn = document.uri === own.uri;
  const names = wordsIn(document.text, functionName).filter((each) => !isOwn || each !== offset);
  const declared = declaredAt(own, offset);
  const notDeclared = (offsets: readonly number[]) => offsets.filter((each) => declaredAt(document, each) === null);
  if (!isOwn) {
    const isKnownThere = declared !== null && isKnownElsewhere(declared);
    return isKnownThere && seesDeclaration(document, own, functionName)
      ? notDeclared(usesElsewhere(document, names))
      : [];
  }
  const receivers = new Set(edits.flatMap((edit) => receiversIn(edit, functionName, argumentsBefore + 1)));
  const className = parameter.isStatic ? classBefore(own.text, offset) : null;
  if (className !== null) receivers.add(className);
  if (declared !== null) return notDeclared(usesOf(declared, functionName.length, names, receivers));
  if (own.syntax.nameAt(offset) !== null) return [];
  return names.slice(0, MOST_SCANNED).filter((each) => {
    if (own.syntax.scopeAt(each) !== 'code') return false;
    const receiver = receiverAt(own.text, each);
    const isOfObject = receivers.has(receiver) || (parameter.isMethod && /^(?:this|self|cls)$/.test(receiver));
    return isPartOf(own.text, each) ? isOfObject : !parameter.isMethod;
  });
}

/** What an edit called the function on where it gave it so many arguments. */
function receiversIn({ original, updated }: EditedText, functionName: string, count: number): readonly string[] {
  if (original.includes(updated)) return [];
  return wordsIn(updated, functionName).flatMap((at) => {
    const receiver = receiverAt(updated, at);
    const given = receiver === '' ? null : argumentsAt(updated, at + functionName.length);
    return given?.parts.length === count ? [receiver] : [];
  });
}

function classBefore(text: string, offset: number): string | null {
  const before = text.slice(Math.max(0, offset - LONGEST_CLASS), offset);
  return (
    before
      .match(/\b(?:class|struct)\s+[\w$]+/g)
      ?.at(-1)
      ?.replace(/^\w+\s+/, '') ?? null
  );
}

const LONGEST_CLASS = 50_000;

function lacking(
  { functionName, name, index, argumentsBefore }: AddedParameter,
  { text, syntax }: SearchedText,
  at: number,
): readonly CallChange[] {
  const lineStart = text.lastIndexOf('\n', at) + 1;
  if (at - lineStart > LONGEST_CALL || DECLARES.test(text.slice(lineStart, at))) return [];
  const given = argumentsAt(text, at + functionName.length);
  if (given === null || given.parts.length !== argumentsBefore) return [];
  const { tokens, open, parts, close } = given;
  if (/^\s*(?::[^;=?]*|->[^;]*)?\{/.test(tokens.slice(close + 1, close + 40).join(''))) return [];
  const written = parts.map(({ start, end }) => tokens.slice(start, end).join(''));
  if (written.some((part) => TAKES_REST.test(part)) || written.slice(0, index).some((part) => NAMED.test(part)))
    return [];
  const change = insertion(tokens, open, parts, index, name, close);
  // After the last argument there may be a comment up to the line's end.
  const inComment =
    written.slice(-1).some((part) => MAY_COMMENT.test(part)) && syntax.scopeAt(change.start) === 'comment';
  return inComment ? [] : [change];
}

const TAKES_REST = /^\s*(?:\.\.\.|\*)/;
/** An argument with its parameter's name; none may follow that has no name. */
const NAMED = /^\s*[\p{L}\p{N}_$]+\s*(?:=(?![=>])|:(?!:))/u;
const MAY_COMMENT = /\/\/|#|--/;

/** Null where no complete list of arguments begins at an offset. */
function argumentsAt(text: string, open: number) {
  if (text[open] !== '(') return null;
  const tokens = tokensOf(text.slice(open, open + LONGEST_CALL));
  const close = closeBehind(tokens, 0);
  return close < 0 ? null : { tokens, open, close, parts: partsBetween(tokens, 0, close) };
}

function insertion(
  tokens: readonly string[],
  open: number,
  given: readonly Part[],
  index: number,
  name: string,
  close: number,
): CallChange {
  const offsetOf = (token: number) => open + tokens.slice(0, token).join('').length;
  const textOf = ({ start, end }: Part) => tokens.slice(start, end).join('');
  /** What separates arguments: a blank, or the line end and indentation where each has its own line. */
  const blanksBefore = (part: Part) => /^\s*/.exec(textOf(part))?.[0] ?? '';
  const separator = (part: Part) => (blanksBefore(part).includes('\n') ? blanksBefore(part) : ' ');
  const next = given[index];
  if (next !== undefined) {
    const at = offsetOf(next.start) + blanksBefore(next).length;
    return { start: at, end: at, newText: `${name},${separator(next)}` };
  }
  const last = given.at(-1);
  if (last === undefined) return { start: offsetOf(close), end: offsetOf(close), newText: name };
  const at = offsetOf(last.start) + textOf(last).trimEnd().length;
  return { start: at, end: at, newText: `,${separator(last)}${name}` };
}
