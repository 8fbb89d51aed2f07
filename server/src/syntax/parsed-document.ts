import type { Parser, Tree } from 'web-tree-sitter';
import type { LoadedGrammar } from './grammar-loader.js';
import type { ErrorCounts, TextChange } from './syntax.js';
import { applyChange, textDifference } from './text-difference.js';
import { countErrors } from './tree-errors.js';

/** The grammar cannot parse the text in reasonable time. Its runtime is sound. */
export class SlowParseError extends Error {}

/**
 * A document's tree, updated by parsing only what a change affects. A parser can fail: a grammar traps, or the memory of
 * WebAssembly ends. Then the document closes, and nothing of its runtime is called again.
 */
export class ParsedDocument {
  readonly #grammar: LoadedGrammar;
  readonly #parser: Parser;
  readonly #onFailure: (error: unknown) => void;
  /** The tree of the last text that was parsed completely. */
  #tree: Tree | null = null;
  #text = '';
  /** A parse that the time limit interrupted; the parser can continue it. */
  #pending: { readonly text: string; readonly editedTree: Tree | null } | null = null;
  #closed = false;
  /** What the parse of the pending text has taken so far. */
  #parsingMs = 0;

  /**
   * @param onFailure called once at most
   * @throws what the runtime throws
   */
  constructor(grammar: LoadedGrammar, onFailure: (error: unknown) => void) {
    this.#grammar = grammar;
    this.#parser = grammar.newParser();
    this.#onFailure = onFailure;
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
    return this.attempt(() => this.#continue(text, performance.now() + limitMs)) ?? false;
  }

  /** Calls the runtime; null if that fails, or has failed before. */
  attempt<T>(work: () => T): T | null {
    if (this.#closed) return null;
    try {
      return work();
    } catch (error) {
      if (error instanceof SlowParseError) this.#free();
      this.abandon();
      this.#onFailure(error);
      return null;
    }
  }

  /** Counts the errors of the parsed text before and after a change; null if the time limit was too short. */
  errorsWith(change: TextChange, limitMs: number): ErrorCounts | null {
    return this.attempt(() => this.#compare(change, performance.now() + limitMs));
  }

  /** WebAssembly memory is not garbage collected: without this it leaks. */
  close(): void {
    this.attempt(() => {
      this.#free();
      this.abandon();
    });
  }

  /** Forgets the tree without freeing it, since the runtime has failed. */
  abandon(): void {
    this.#closed = true;
    this.#tree = null;
    this.#pending = null;
  }

  #free(): void {
    this.#tree?.delete();
    this.#tree = null;
    this.#parser.delete();
  }

  #continue(text: string, deadline: number): boolean {
    while (this.#pending !== null || this.#tree === null || this.#text !== text) {
      this.#pending ??= this.#begin(this.#nextStep(text));
      if (!this.#resume(this.#pending, deadline)) return false;
    }
    return true;
  }

  #compare(change: TextChange, deadline: number): ErrorCounts | null {
    const tree = this.tree;
    if (tree === null) return null;
    this.#parsingMs = 0;
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
      const [before, after] = [countErrors(tree), countErrors(reparsed)];
      return before === null || after === null ? null : { before, after };
    } finally {
      edited.delete();
      reparsed?.delete();
    }
  }

  /** A text that is much longer than the parsed one is parsed in growing parts: the first slow one ends it. */
  #nextStep(text: string): string {
    return text.slice(0, Math.max(FIRST_CHARACTERS, this.#text.length * 2));
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
    this.#parsingMs = 0;
    return true;
  }

  #run(text: string, oldTree: Tree | null, deadline: number): Tree | null {
    const read = (index: number): string => text.slice(index, index + READ_CHARACTERS);
    const startedAt = performance.now();
    const usedBefore = process.cpuUsage();
    const tree = this.#parser.parse(read, oldTree, { progressCallback: () => performance.now() > deadline });
    // On a busy machine time passes without work. The engine's threads work meanwhile, so neither figure says all.
    const { user, system } = process.cpuUsage(usedBefore);
    const tookMs = Math.min(performance.now() - startedAt, (user + system) / 1000);
    this.#parsingMs += tookMs;
    if (tookMs > LONGEST_STEP_MS || this.#parsingMs > LONGEST_PARSE_MS) {
      tree?.delete();
      throw new SlowParseError(`parsing takes too long (${Math.round(this.#parsingMs)} ms)`);
    }
    return tree;
  }
}

/**
 * In milliseconds. A parser looks at its deadline after some operations, and one operation may take seconds: 20 kB of
 * `a<a<a<` took Java's 7 s. Other texts never end: each step is short, and there are more and more of them.
 */
const LONGEST_STEP_MS = 500;
const LONGEST_PARSE_MS = 10_000;
/** In UTF-16 units: short enough that no text of this length takes long. */
const FIRST_CHARACTERS = 4_096;

/** Length of the pieces that the parser reads: shorter ones cost more calls, longer ones needless copies. */
const READ_CHARACTERS = 4096;
