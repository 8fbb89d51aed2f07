import type { Syntax } from '../../syntax/syntax.js';
import { presentOffset } from './edited-place.js';
import { isWord, type Replacement } from './replacement.js';
import type { SearchedText } from './searched-text.js';

/** The name of a tag whose partner was renamed. */
export interface PairedTag {
  readonly document: SearchedText;
  readonly start: number;
  readonly from: string;
  readonly to: string;
}

interface Tag {
  readonly name: string;
  /** Where the name starts. */
  readonly offset: number;
  readonly closes: boolean;
}

const MARKUP = new Set('html xml vue svelte astro handlebars javascriptreact typescriptreact'.split(' '));
/** Elements that have no closing tag. */
const VOID = new Set('area base br col embed hr img input link meta source track wbr'.split(' '));
const TAG = /<(?:!--|(\/?)(?=[\p{L}_])([\p{L}\p{N}_$.:-]+))/gu;
const END_OF_COMMENT = '-->';
/** Nobody's page has more, and each is looked at. */
const MOST_TAGS = 2_000;
const LONGEST_TAG = 5_000;

/** The other tag of an element of which one was renamed, as long as that still has the old name. */
export function pairedTags(
  { from, to, made }: Replacement,
  documentOf: (uri: string) => SearchedText | null,
): readonly PairedTag[] {
  const [oldName = '', newName = ''] = [from[0], to[0]];
  if (from.length !== 1 || to.length !== 1 || !isWord(oldName) || !isWord(newName)) return [];
  return made.flatMap(({ edit, offset: start }) => {
    const document = documentOf(edit.uri);
    if (document === null || !MARKUP.has(document.languageId)) return [];
    const offset = presentOffset(edit, start, start + newName.length, document.text);
    const partner = offset === null ? null : partnerOf(document, offset);
    return partner?.name === oldName ? [{ document, start: partner.offset, from: oldName, to: newName }] : [];
  });
}

/** The tag that closes or opens the element of the one whose name begins at an offset; null where nobody can tell. */
function partnerOf(document: SearchedText, offset: number): Tag | null {
  if (!/<\/?$/.test(document.text.slice(Math.max(0, offset - 2), offset))) return null;
  const tags = tagsIn(document);
  const own = tags?.findIndex((tag) => tag.offset === offset) ?? -1;
  const tag = tags?.[own];
  if (tags === null || tag === undefined) return null;
  const ahead = tag.closes ? tags.slice(0, own).reverse() : tags.slice(own + 1);
  const open: string[] = [];
  for (const each of ahead) {
    if (each.closes === tag.closes) {
      open.push(each.name);
    } else if (open.length === 0) {
      return each;
    } else if (open.pop() !== each.name) {
      // An element without a closing tag, or no tag at all.
      return null;
    }
  }
  return null;
}

/** Those that have a partner, in order; null where there are too many, or one does not end. */
function tagsIn({ text, syntax }: SearchedText): readonly Tag[] | null {
  const tags: Tag[] = [];
  const pattern = new RegExp(TAG);
  let seen = 0;
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
    const [whole, slash, name] = found;
    if (++seen > MOST_TAGS) return null;
    if (name === undefined) {
      const end = text.indexOf(END_OF_COMMENT, found.index);
      if (end < 0) break;
      pattern.lastIndex = end;
      continue;
    }
    const offset = found.index + whole.length - name.length;
    if (VOID.has(name) || isNoTag(syntax, offset)) continue;
    const end = endOfTag(text, offset + name.length);
    if (end === null) return null;
    if (text[end] === '>' && text[end - 1] !== '/') tags.push({ name, offset, closes: slash === '/' });
    pattern.lastIndex = end;
  }
  return tags;
}

/** In a text or a type, as in `useState<User>()`. Without a grammar nobody asks: each answer takes a scan. */
function isNoTag(syntax: Syntax, offset: number): boolean {
  const name = syntax.nameAt(offset);
  return name !== null && ((name !== 'none' && name.as === 'type') || syntax.scopeAt(offset) !== 'code');
}

/** Where the tag's `>` is, after attributes with text in quotes and code in braces, or `<` of another; null without. */
function endOfTag(text: string, from: number): number | null {
  let [quote, depth] = ['', 0];
  for (let at = from; at < Math.min(text.length, from + LONGEST_TAG); at++) {
    const mark = text[at] ?? '';
    if (quote !== '') {
      if (mark === quote) quote = '';
    } else if (mark === '"' || mark === "'" || (mark === '`' && depth > 0)) quote = mark;
    else if (mark === '{') depth++;
    else if (mark === '}') depth--;
    else if ((mark === '>' || mark === '<') && depth === 0) return at;
  }
  return null;
}
