import type { Parser, Tree } from 'web-tree-sitter';
import type { LoadedGrammar } from './grammar-loader.js';
import type { ErrorCounts, TextChange } from './syntax.js';
import { applyChange, textDifference } from './text-difference.js';
import { countErrors } from './tree-errors.js';

/** A document's tree, kept in step with its text by parsing again only what a change touched. */
export class ParsedDocument {
  readonly #grammar: LoadedGrammar;
  readonly #parser: Parser;
  /** Of the last text that was parsed to its end. */
  #tree: Tree | null = null;
  #text = '';
  /** A parse that its time limit interrupted; the parser remembers how far it got. */
  #pending: { readonly text: string; readonly editedTree: Tree | null } | null = null;
  #closed = false;

  constructor(grammar: LoadedGrammar) {
    this.#grammar = grammar;
    this.#parser = grammar.newParser();
  }

  get tree(): Tree | null {
    return this.#pending === null ? this.#tree : null;
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  /**
   * Goes on towards the tree of a text. An interrupted parse of another text is finished first, because starting over
   * at every key would never get to an end.
   * @returns whether the tree is that of the text now
   */
  parse(text: string, limitMs: number): boolean {
    const deadline = performance.now() + limitMs;
    while (this.#pending !== null || this.#tree === null || this.#text !== text) {
      this.#pending ??= this.#begin(text);
      if (!this.#resume(this.#pending, deadline)) return false;
    }
    return true;
  }

  /** Compares the text that the tree belongs to with the same text changed; null if the limit was too short. */
  errorsWith(change: TextChange, limitMs: number): ErrorCounts | null {
    const tree = this.tree;
    if (tree === null) return null;
    const deadline = performance.now() + limitMs;
    const changed = applyChange(this.#text, change);
    const edited = tree.copy();
    let reparsed: Tree | null = null;
    try {
      edited.edit(this.#grammar.treeEdit(this.#text, change));
      reparsed = this.#run(changed, edited, deadline);
      if (reparsed === null) {
        this.#parser.reset();
        return null;
      }
      return { before: countErrors(tree), after: countErrors(reparsed) };
    } finally {
      edited.delete();
      reparsed?.delete();
    }
  }

  /** WebAssembly memory is not garbage collected: what is not closed is lost. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#tree?.delete();
    this.#tree = null;
    this.#pending = null;
    this.#parser.delete();
  }

  #begin(text: string): { readonly text: string; readonly editedTree: Tree | null } {
    const change = this.#tree === null ? null : textDifference(this.#text, text);
    if (change !== null) this.#tree?.edit(this.#grammar.treeEdit(this.#text, change));
    return { text, editedTree: this.#tree };
  }

  #resume(
    { text, editedTree }: { readonly text: string; readonly editedTree: Tree | null },
    deadline: number,
  ): boolean {
    const tree = this.#run(text, editedTree, deadline);
    if (tree === null) return false;
    editedTree?.delete();
    this.#tree = tree;
    this.#text = text;
    this.#pending = null;
    return true;
  }

  #run(text: string, oldTree: Tree | null, deadline: number): Tree | null {
    const read = (index: number): string => text.slice(index, index + READ_CHARACTERS);
    return this.#parser.parse(read, oldTree, { progressCallback: () => performance.now() > deadline });
  }
}

/** What the parser is given at a time; a shorter text makes it ask more often, a longer one is copied in vain. */
const READ_CHARACTERS = 4096;
