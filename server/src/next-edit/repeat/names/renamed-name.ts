import { lineStartAt } from '../../text/lines.js';
import { presentOffset } from '../edited-place.js';
import { isWord, type Replacement } from '../replacement.js';
import { isPartOf, type SearchedText } from '../searched-text.js';
import {
  assignedMemberAt,
  type DeclaredName,
  declaredAt,
  isKnownElsewhere,
  usesElsewhere,
  usesOf,
} from './declared-name.js';
import { seesDeclaration } from './sees-declaration.js';

/** Where the user renamed what is declared. `declared` is null where no grammar knows the language. */
export interface RenamedName {
  readonly from: string;
  readonly to: string;
  readonly document: SearchedText;
  readonly offset: number;
  readonly declared: DeclaredName | null;
}

/** Words before a name that declare it, for languages without a grammar. */
const DECLARATIONS = new Set(
  'const let var val function class interface type enum namespace def fn fun func struct trait local'.split(' '),
);

/** Without a grammar, each place takes a scan of the lines above it. */
export const MOST_SCANNED = 100;

/** The declaration that a replacement renamed; null where it renamed none. */
export function renamedName(
  { from, to, focus, made }: Replacement,
  documentOf: (uri: string) => SearchedText | null,
): RenamedName | null {
  const [oldName = '', newName = ''] = [from[0], to[0]];
  if (from.length !== 1 || to.length !== 1 || !isWord(newName)) return null;
  const places = made.flatMap(({ edit, offset: start, left }) => {
    const document = documentOf(edit.uri);
    const offset = document && presentOffset(edit, start, start + newName.length, document.text);
    return document === null || offset === null ? [] : [{ document, offset, left }];
  });
  for (const { document, offset, left } of places) {
    const renamed = new Set(places.filter((each) => each.document.uri === document.uri).map((each) => each.offset));
    const declared = declaredAt(document, offset) ?? assignedMemberAt(document, offset, oldName, newName, renamed);
    const isUnknown = document.syntax.nameAt(offset) === null;
    const isLikely = isUnknown && focus === 1 && DECLARATIONS.has(left[0] ?? '');
    if (declared !== null || isLikely) return { from: oldName, to: newName, document, offset, declared };
  }
  return null;
}

/** The places of a document, of those given, that used the old name of what was renamed. */
export function usesOfRenamed(
  { from, document: own, offset, declared }: RenamedName,
  document: SearchedText,
  offsets: readonly number[],
): readonly number[] {
  if (document.uri !== own.uri) {
    const isKnownThere = declared !== null && isKnownElsewhere(declared);
    return isKnownThere && seesDeclaration(document, own, from) ? usesElsewhere(document, offsets) : [];
  }
  if (declared !== null) return usesOf(declared, from.length, offsets, new Set());
  const { start, end } = indentedBlock(own.text, offset);
  return offsets
    .filter((each) => each >= start && each < end && !isPartOf(own.text, each))
    .slice(0, MOST_SCANNED)
    .filter((each) => own.syntax.scopeAt(each) === 'code');
}

/** The lines around an offset's line that are indented at least as much. */
function indentedBlock(text: string, offset: number): { readonly start: number; readonly end: number } {
  const lineStart = lineStartAt(text, offset);
  const least = indentation(text, lineStart);
  let start = lineStart;
  while (start > 0) {
    const above = lineStartAt(text, start - 1);
    if (indentation(text, above) < least) break;
    start = above;
  }
  let end = lineStart;
  for (let next = lineStart; next >= 0 && indentation(text, next) >= least; ) {
    const lineFeed = text.indexOf('\n', next);
    end = lineFeed < 0 ? text.length : lineFeed + 1;
    next = lineFeed < 0 || end >= text.length ? -1 : end;
  }
  return { start, end };
}

/** Infinite for a blank line: it ends no block. */
function indentation(text: string, lineStart: number): number {
  let at = lineStart;
  while (text[at] === ' ' || text[at] === '\t') at++;
  return at >= text.length || text[at] === '\n' || text[at] === '\r' ? Number.POSITIVE_INFINITY : at - lineStart;
}
