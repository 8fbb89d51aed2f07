import { notebookOf } from '../../../context/files/file-location.js';
import { languageById } from '../../../context/languages/languages.js';
import type { NameAt } from '../../../syntax/syntax.js';
import { hasBody } from '../argument-lists.js';
import { isPartOf, receiverAt, type SearchedText } from '../searched-text.js';
import { wordsIn } from '../sites.js';

/** A name where it is declared, as its document is now. */
export interface DeclaredName {
  readonly document: SearchedText;
  readonly offset: number;
  /** What the grammar says of it there. */
  readonly name: NameAt & { readonly declaredIn: number };
}

/** How methods call their own object. */
const OWN_OBJECT = /^(?:this|self|cls|super)$/;

/** Null where the grammar knows of no declaration there. */
export function declaredAt(document: SearchedText, offset: number): DeclaredName | null {
  const name = document.syntax.nameAt(offset);
  if (name === null || name === 'none') return null;
  const { declaredIn } = name;
  return declaredIn === null ? null : { document, offset, name: { ...name, declaredIn } };
}

/**
 * The member of a class that a method gives its own object at an offset: `self.count = 0`. Python and older JavaScript
 * declare it nowhere else. Null where that is no first assignment: the class declares the old name, one in the same method
 * or above assigns it, or the new name is another member.
 *
 * @param renamed where the new name stands since it was made of the old one
 */
export function assignedMemberAt(
  document: SearchedText,
  offset: number,
  oldName: string,
  newName: string,
  renamed: ReadonlySet<number>,
): DeclaredName | null {
  const { text, syntax } = document;
  if (!isAssignedToOwn(text, offset, newName.length)) return null;
  const name = syntax.nameAt(offset);
  if (name === null || name === 'none' || name.declaredIn !== null || name.inClass === null) return null;
  const { inClass, scopes } = name;
  const membersNamed = (wanted: string) =>
    namesAt(document, wordsIn(text, wanted)).filter(
      ({ offset: each, at }) =>
        at.declaredIn === inClass || (at.inClass === inClass && OWN_OBJECT.test(receiverAt(text, each))),
    );
  const isTaken = membersNamed(newName).some(({ offset: each }) => each !== offset && !renamed.has(each));
  const isOlder = membersNamed(oldName).some(({ offset: each, at }) => {
    if (at.declaredIn === inClass) return true;
    return isAssignedToOwn(text, each, oldName.length) && (each < offset || at.scopes[0] === scopes[0]);
  });
  return isTaken || isOlder ? null : { document, offset, name: { ...name, as: 'member', declaredIn: inClass } };
}

function isAssignedToOwn(text: string, offset: number, length: number): boolean {
  const behind = text.slice(offset + length, offset + length + LONGEST_NAME);
  return OWN_OBJECT.test(receiverAt(text, offset)) && /^[ \t]*(?::[^=\n]*)?=(?![=>])/.test(behind);
}

/** Whether the name is a member of an object or a class. */
function isMember({ name }: DeclaredName): boolean {
  return name.as === 'member' || (name.declaredIn === name.inClass && name.inClass !== null);
}

/**
 * Whether other files can import it: its own file declares it for the whole file, and does not import it itself. What a
 * cell imports, the other cells of its notebook use.
 */
export function isKnownElsewhere(declared: DeclaredName): boolean {
  const { declaredIn, scopes, isImport } = declared.name;
  const isPassedOn = !isImport || notebookOf(declared.document.uri) !== null;
  return !isMember(declared) && isPassedOn && declaredIn === scopes.at(-1);
}

/**
 * The places of its document, of those given, where a name stands for what is declared. Empty where something else in its
 * scope has that name, such as the line that it is a copy of.
 *
 * @param length of the name at those places
 * @param offsets of everything that reads like the name, the declaration not among them
 * @param receivers texts before the dot that stand for an object of its class, besides `this` and its like
 */
export function usesOf(
  declared: DeclaredName,
  length: number,
  offsets: readonly number[],
  receivers: ReadonlySet<string>,
): readonly number[] {
  const { document, name } = declared;
  const found = namesAt(document, offsets);
  const again = found.filter(({ at }) => at.declaredIn === name.declaredIn).map(({ offset }) => offset);
  if (again.length > 0 && !isOneFunction(declared, length, again)) return [];
  const redeclared = redeclaredIn(found.map(({ at }) => at));
  const member = isMember(declared);
  return found.flatMap(({ offset, at }) => {
    if (at.declaredIn !== null) return at.declaredIn === name.declaredIn ? [offset] : [];
    if (at.as === 'member' || isPartOf(document.text, offset)) {
      const receiver = receiverAt(document.text, offset);
      const isPrivate = document.text[offset - 1] === '#';
      const isSameClass = at.inClass !== null && at.inClass === name.inClass;
      const isOwn = isSameClass && (isPrivate || OWN_OBJECT.test(receiver));
      return member && (isOwn || receivers.has(receiver)) ? [offset] : [];
    }
    return name.as !== 'member' && reaches(at, name.declaredIn, redeclared) ? [offset] : [];
  });
}

/** The places of another document, of those given, where a name stands for what is declared for all files. */
export function usesElsewhere(document: SearchedText, offsets: readonly number[]): readonly number[] {
  // What a header declares, the file that includes it may define.
  const defines = languageById(document.languageId)?.family === 'c';
  const found = namesAt(document, offsets);
  const isSame = ({ isImport, declaredIn, scopes }: NameAt) => isImport || (defines && declaredIn === scopes.at(-1));
  const redeclared = redeclaredIn(found.map(({ at }) => at).filter((at) => !isSame(at)));
  return found.flatMap(({ offset, at }) => {
    if (isSame(at)) return [offset];
    if (at.declaredIn !== null || at.as === 'member' || isPartOf(document.text, offset)) return [];
    return at.scopes.some((scope) => redeclared.has(scope)) ? [] : [offset];
  });
}

/** Whether all declarations in one scope are of one function: signatures, and at most one of them with a body. */
function isOneFunction(
  { document: { text }, offset }: DeclaredName,
  length: number,
  again: readonly number[],
): boolean {
  if (!again.every((each) => text[each + length] === '(')) return false;
  const ownEnd = offset + (/^[\p{L}\p{N}_$]+/u.exec(text.slice(offset, offset + LONGEST_NAME))?.[0].length ?? 0);
  const ends = [ownEnd, ...again.map((each) => each + length)];
  return ends.filter((end) => hasBody(text, end)).length <= 1;
}

const LONGEST_NAME = 200;

function namesAt({ syntax }: SearchedText, offsets: readonly number[]) {
  return offsets.flatMap((offset) => {
    const at = syntax.nameAt(offset);
    return at === null || at === 'none' ? [] : [{ offset, at }];
  });
}

function redeclaredIn(names: readonly NameAt[]): ReadonlySet<number> {
  return new Set(names.flatMap(({ declaredIn, as }) => (declaredIn === null || as === 'member' ? [] : [declaredIn])));
}

/** Whether a scope is reached from the inside before another one that declares the same name. */
function reaches({ scopes }: NameAt, wanted: number, redeclared: ReadonlySet<number>): boolean {
  return scopes.find((scope) => scope === wanted || redeclared.has(scope)) === wanted;
}
