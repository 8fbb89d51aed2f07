import type { Syntax } from '../../syntax/syntax.js';

/** A document in which edits may be due. */
export interface SearchedText {
  readonly uri: string;
  readonly languageId: string;
  readonly text: string;
  readonly syntax: Syntax;
}

/** Whether a name at an offset is a part of something: `user.name`, `list->name`, `Shape::name`. */
export function isPartOf(text: string, offset: number): boolean {
  return /(?:(?<!\.)\.|->|::)#?$/.test(text.slice(Math.max(0, offset - 3), offset));
}

/** What stands before the dot in front of a name; empty where that is no chain of names. */
export function receiverAt(text: string, offset: number): string {
  const before = text.slice(Math.max(0, offset - LONGEST_RECEIVER), offset);
  return /((?:[\p{L}\p{N}_$]+(?:\?\.|\.|->|::))*[\p{L}\p{N}_$]+)(?:\?\.|\.|->|::)#?$/u.exec(before)?.[1] ?? '';
}

const LONGEST_RECEIVER = 100;
