import type { Syntax, SyntaxSource } from '../syntax/syntax.js';
import type { FileFacts } from './file-facts.js';
import { type DueEdit, RepeatedEdits } from './repeat/repeated-edits.js';
import type { EditedText } from './repeat/replacement.js';
import type { SearchedText } from './repeat/searched-text.js';
import { LEAST_CHANCE } from './repeat/site-odds.js';

/** A document as it is at one moment. */
export interface SearchedDocument {
  readonly uri: string;
  readonly languageId: string;
  readonly text: string;
}

export interface RepeatQuestion {
  readonly own: SearchedDocument;
  /** Where the user is in it. */
  readonly offset: number;
  /** Other documents that the user has seen. */
  readonly others: readonly SearchedDocument[];
  /** The edits of all documents, oldest first. */
  readonly edits: readonly EditedText[];
  readonly isDismissed: (document: SearchedDocument, edit: DueEdit) => boolean;
}

export type FoundRepeat =
  | { readonly kind: 'edit'; readonly uri: string; readonly edit: DueEdit; readonly more: number }
  /** Null: nothing is repeated. */
  | { readonly kind: 'none'; readonly reason: 'dismissed' | 'newSyntaxError' | 'unsure' | null };

/** After so many places that would add a syntax error, nothing is due. */
const MOST_TRIED = 8;

/** The next edit as the recent ones repeat themselves, without a model. */
export class RepeatSearch {
  readonly #files: Pick<FileFacts, 'admits'>;
  readonly #syntax: SyntaxSource;

  constructor(files: Pick<FileFacts, 'admits'>, syntax: SyntaxSource) {
    this.#files = files;
    this.#syntax = syntax;
  }

  /** In the user's document first, downwards from the cursor; then in others that may be looked at. */
  async find(question: RepeatQuestion, signal: AbortSignal): Promise<FoundRepeat> {
    const { own, offset, others, edits } = question;
    const texts = new Map([own, ...others].map((each) => [each.uri, this.#searched(each)]));
    const repeated = new RepeatedEdits(edits, (uri) => texts.get(uri) ?? null);
    if (repeated.none) return { kind: 'none', reason: null };
    const found: { readonly document: SearchedDocument; readonly edit: DueEdit }[] = [];
    for (const document of [own, ...others]) {
      // A document takes some milliseconds, many take a second: the server handles a key in between.
      if (document !== own) await new Promise(setImmediate);
      if (signal.aborted) return { kind: 'none', reason: null };
      const text = texts.get(document.uri);
      const due = text === undefined ? [] : repeated.in(text);
      const ordered = document === own ? fromPlace(due, offset) : due;
      if (ordered.length === 0) continue;
      if (document !== own && !(await this.#files.admits(document.uri, document.text))) continue;
      if (signal.aborted) return { kind: 'none', reason: null };
      found.push(...ordered.map((edit) => ({ document, edit })));
    }
    return this.#first(found, texts, question);
  }

  #first(
    found: readonly { readonly document: SearchedDocument; readonly edit: DueEdit }[],
    texts: ReadonlyMap<string, SearchedText>,
    { isDismissed }: RepeatQuestion,
  ): FoundRepeat {
    const likely = found.filter(({ edit }) => edit.chance >= LEAST_CHANCE);
    const wanted = likely.filter(({ document, edit }) => !isDismissed(document, edit));
    for (const { document, edit } of wanted.slice(0, MOST_TRIED)) {
      const { start, end, newText, kind } = edit;
      const errors = texts.get(document.uri)?.syntax.errorsWith({ start, end, text: newText }) ?? null;
      if (errors !== null && errors.after > errors.before) continue;
      const more = wanted.filter((each) => each.edit.kind === kind).length - 1;
      return { kind: 'edit', uri: document.uri, edit, more };
    }
    if (wanted.length > 0) return { kind: 'none', reason: 'newSyntaxError' };
    if (likely.length > 0) return { kind: 'none', reason: 'dismissed' };
    return { kind: 'none', reason: found.length > 0 ? 'unsure' : null };
  }

  /** The grammar parses a document only once something is asked of it. */
  #searched(document: SearchedDocument): SearchedText {
    const source = this.#syntax;
    let syntax: Syntax | null = null;
    return {
      ...document,
      get syntax() {
        syntax ??= source.at(document);
        return syntax;
      },
    };
  }
}

/** Downwards from the cursor, then from the top. */
function fromPlace(edits: readonly DueEdit[], offset: number): readonly DueEdit[] {
  const below = edits.findIndex(({ start }) => start >= offset);
  return below < 0 ? edits : [...edits.slice(below), ...edits.slice(0, below)];
}
