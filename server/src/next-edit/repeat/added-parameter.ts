import { closeBehind, openBefore, type Part, partsBetween } from './argument-lists.js';
import type { EditedText } from './replacement.js';
import { differingTokens, tokensOf } from './token-difference.js';

/** A function that got one more parameter. */
export interface AddedParameter {
  readonly functionName: string;
  readonly name: string;
  /** Zero-based, among the parameters that calls write. */
  readonly index: number;
  /** How many arguments calls have that lack the new one. */
  readonly argumentsBefore: number;
  readonly edit: EditedText;
  /** Where the function's name begins in the edit's new text. */
  readonly offset: number;
  /** Called on an object, as far as its own lines say. */
  readonly isMethod: boolean;
  readonly isStatic: boolean;
}

export const DECLARES =
  /(?:^|[\s(])(?:function\*?|def|fn|func|async|static|public|private|protected|get|set|constructor)\s+[\w$]*$/;
const FUNCTION = /(?:^|[\s(])(?:function\*?|def|fn|func|fun)\s+$/;
const NAME = /^[\p{L}_$][\p{L}\p{N}_$]*$/u;
const FIRST_NAME = /^[\p{L}_$][\p{L}\p{N}_$]*/u;
/** Before it stands the type; after it, the brackets of an array. */
const LAST_NAME = /[\p{L}_$][\p{L}\p{N}_$]*(?=(?:\s*\[\s*\])*$)/u;
/** Python's methods name their object; calls do not. */
const RECEIVERS = new Set(['self', 'cls', 'this']);
const MODIFIERS = /^(?:(?:public|private|protected|readonly|override|mut|final|const)\s+)+/;
const TYPE_FIRST = new Set('c cpp cuda-cpp objective-c objective-cpp java csharp dart groovy php'.split(' '));

/**
 * The parameter that an edit added to a function's declaration, if calls without it would be wrong.
 *
 * @param languageId of the edited document; null where nobody knows it
 */
export function addedParameter(edit: EditedText, languageId: string | null): AddedParameter | null {
  const [before, after] = [tokensOf(edit.original), tokensOf(edit.updated)];
  const [added, ...others] = differingTokens(before, after).filter(({ newStart, newEnd }) => newEnd > newStart);
  if (added === undefined || others.length > 0 || added.end > added.start) return null;
  const open = openBefore(after, added.newStart);
  const functionName = after[open - 1] ?? '';
  if (open < 1 || !NAME.test(functionName)) return null;
  const head = after.slice(0, open).join('');
  const lineStart = head.slice(head.lastIndexOf('\n') + 1);
  const close = closeBehind(after, open);
  if (close < 0) return null;
  const opensBody = /^\s*(?::[^;=]*|->[^;]*)?[{:]/.test(after.slice(close + 1).join(''));
  if (!DECLARES.test(lineStart) && !opensBody) return null;

  const parameters = partsBetween(after, open, close);
  const textOf = ({ start, end }: Part) => after.slice(start, end).join('').trim();
  const [parameter, ...more] = parameters.filter(({ start, end }) =>
    after.slice(Math.max(start, added.newStart), Math.min(end, added.newEnd)).some((token) => token.trim() !== ''),
  );
  if (parameter === undefined || more.length > 0) return null;
  const name = parameterName(textOf(parameter), languageId);
  if (name === null || RECEIVERS.has(name)) return null;
  const isReceiver = (part: Part) => RECEIVERS.has(/^&?(?:mut\s+)?(\w+)/.exec(textOf(part))?.[1] ?? '');
  const written = parameters.filter((part) => !isReceiver(part));
  const beforeName = lineStart.slice(0, lineStart.length - functionName.length);
  return {
    functionName,
    name,
    index: written.indexOf(parameter),
    argumentsBefore: written.length - 1,
    edit,
    offset: head.length - functionName.length,
    isMethod: written.length < parameters.length || !FUNCTION.test(beforeName),
    isStatic: /\bstatic\b/.test(beforeName),
  };
}

/** Null for a parameter that leaves calls as they are: with a default, optional, or taking the rest. */
function parameterName(text: string, languageId: string | null): string | null {
  if (/[=?]|^\.\.\.|^\*/.test(text)) return null;
  const bare = text.replace(MODIFIERS, '');
  const isTypeFirst = languageId !== null && TYPE_FIRST.has(languageId);
  return (isTypeFirst ? LAST_NAME : FIRST_NAME).exec(bare)?.[0] ?? null;
}
