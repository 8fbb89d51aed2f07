import type { Parser, Tree } from 'web-tree-sitter';
import { smallestChange } from '../util/smallest-change.js';
import type { LoadedGrammar } from './grammar-loader.js';
import type { ErrorCounts, TextChange } from './syntax.js';
import { countErrors } from './tree-errors.js';

/** The grammar cannot parse the text in reasonable time. Its runtime is sound. */
export class SlowParseError extends Error {}

/** An unfinished parse of the next text: the time limit may interrupt it anywhere. */
interface Step {
  readonly change: TextChange;
  /** How much of the new text the trial has parsed. */
  tried: number;
  /** The edited tree of the text before; null until the trial is over. */
  parse: { readonly text: string; readonly editedTree: Tree | null } | null;
}

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
  /** Tries new text before it becomes part of a whole. */
  #trial: Parser | null = null;
  #pending: Step | null = null;
  #closed = false;
  /** What the pending step has taken so far. */
  #parsingMs = 0;
  /** How often in a row the trial of one part was slow. */
  #slowTrials = 0;

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
    this.#trial?.delete();
  }

  #continue(text: string, deadline: number): boolean {
    while (this.#pending !== null || this.#tree === null || this.#text !== text) {
      this.#pending ??= this.#nextStep(text);
      if (!this.#tryOut(this.#pending, deadline) || !this.#resume(this.#pending, deadline)) return false;
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
      reparsed = this.#run(this.#parser, changed, edited, deadline).tree;
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

  /** A text that has much more than the parsed one is parsed in growing parts: the first slow one ends it. */
  #nextStep(text: string): Step {
    // Comparing the texts cannot disagree with them, as the editor's changes could.
    const { start, end, newText } = smallestChange(this.#text, text) ?? { start: 0, end: 0, newText: '' };
    const growth = Math.max(TRIAL_CHARACTERS, this.#text.length);
    return { change: { start, end, text: newText.slice(0, growth) }, tried: 0, parse: null };
  }

  /**
   * Parses new text by itself first, in short parts. Text that is slow to parse is slow here already, and costs little. In
   * one piece after a large file it could hold the loop for seconds.
   *
   * @returns whether it was all tried
   */
  #tryOut(step: Step, deadline: number): boolean {
    const { text } = step.change;
    if (step.parse !== null || text.length <= TRIAL_CHARACTERS) return true;
    this.#trial ??= this.#grammar.newParser();
    while (step.tried < text.length) {
      const part = text.slice(step.tried, step.tried + TRIAL_CHARACTERS);
      const { tree, tookMs } = this.#run(this.#trial, part, null, deadline);
      tree?.delete();
      if (tookMs > SLOW_TRIAL_MS) {
        // A machine that is busy may have been the reason.
        if (++this.#slowTrials === MOST_SLOW_TRIALS) throw this.#slow();
        this.#trial.reset();
      } else if (tree !== null) {
        this.#slowTrials = 0;
        step.tried += part.length;
      }
      if (performance.now() > deadline) return false;
    }
    return true;
  }

  #resume(step: Step, deadline: number): boolean {
    if (step.parse === null) {
      this.#tree?.edit(this.#grammar.treeEdit(this.#text, step.change));
      step.parse = { text: applyChange(this.#text, step.change), editedTree: this.#tree };
    }
    const { text, editedTree } = step.parse;
    const { tree, tookMs } = this.#run(this.#parser, text, editedTree, deadline);
    if (tookMs > LONGEST_CALL_MS) {
      tree?.delete();
      throw this.#slow();
    }
    if (tree === null) return false;
    editedTree?.delete();
    this.#tree = tree;
    this.#text = text;
    this.#pending = null;
    this.#parsingMs = 0;
    return true;
  }

  /** @returns no tree if the deadline came first; the same parser can then go on with the same text */
  #run(parser: Parser, text: string, oldTree: Tree | null, deadline: number): { tree: Tree | null; tookMs: number } {
    const read = (index: number): string => text.slice(index, index + READ_CHARACTERS);
    const startedAt = performance.now();
    const usedBefore = process.cpuUsage();
    const tree = parser.parse(read, oldTree, { progressCallback: () => performance.now() > deadline });
    // On a busy machine time passes without work. The engine's threads work meanwhile, so neither figure says all.
    const { user, system } = process.cpuUsage(usedBefore);
    const tookMs = Math.min(performance.now() - startedAt, (user + system) / 1000);
    this.#parsingMs += tookMs;
    if (this.#parsingMs > LONGEST_PARSE_MS) {
      tree?.delete();
      throw this.#slow();
    }
    return { tree, tookMs };
  }

  #slow(): SlowParseError {
    return new SlowParseError(`parsing takes too long (${Math.round(this.#parsingMs)} ms)`);
  }
}

function applyChange(text: string, { start, end, text: inserted }: TextChange): string {
  return text.slice(0, start) + inserted + text.slice(end);
}

/**
 * In UTF-16 units. A parser looks at its deadline after some operations, and one operation may take seconds: 20 kB of
 * `a<a<a<` took Java's 7 s, 4 kB took 80 ms.
 */
export const TRIAL_CHARACTERS = 4_096;
/** In milliseconds. Other text of that length takes a tenth. */
const SLOW_TRIAL_MS = 40;
const MOST_SLOW_TRIALS = 2;
/** In milliseconds. A call should end at its deadline, which is much sooner. */
const LONGEST_CALL_MS = 500;
/** In milliseconds. Other texts never end: each call is short, and there are more and more of them. */
const LONGEST_PARSE_MS = 10_000;

/** Length of the pieces that the parser reads: shorter ones cost more calls, longer ones needless copies. */
const READ_CHARACTERS = 4096;
