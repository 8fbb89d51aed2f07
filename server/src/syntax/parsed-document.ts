import type { Parser, Tree } from 'web-tree-sitter';
import type { LoadedGrammar } from './grammar-loader.js';
import type { ErrorCounts, TextChange } from './syntax.js';
import { applyChange, textDifference } from './text-difference.js';
import { countErrors } from './tree-errors.js';

/** A document's tree, updated by parsing only what a change affects. */
export class ParsedDocument {
  readonly #grammar: LoadedGrammar;
  readonly #parser: Parser;
  /** The tree of the last text that was parsed completely. */
  #tree: Tree | null = null;
  #text = '';
  /** A parse that the time limit interrupted; the parser can continue it. */
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
   * Continues towards the tree of a text. Finishes an interrupted parse of another text first, because starting again
   * at every key would never finish.
   *
   * @returns whether the tree is now that of the text
   */
  parse(text: string, limitMs: number): boolean {
    const deadline = performance.now() + limitMs;
    while (this.#pending !== null || this.#tree === null || this.#text !== text) {
      this.#pending ??= this.#begin(text);
      if (!this.#resume(this.#pending, deadline)) return false;
    }
    return true;
  }

  /** Counts the errors of the parsed text before and after a change; null if the time limit was too short. */
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

  /** WebAssembly memory is not garbage collected: without this it leaks. */
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

/** Length of the pieces that the parser reads: shorter ones cost more calls, longer ones needless copies. */
const READ_CHARACTERS = 4096;
