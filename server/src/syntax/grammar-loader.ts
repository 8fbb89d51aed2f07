import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Edit, Parser } from 'web-tree-sitter';
import { describeError } from '../util/describe-error.js';
import type { Log } from '../util/log.js';
import { grammarFile } from './grammars.js';
import type { TextChange } from './syntax.js';
import { treeEdit } from './tree-edit.js';
import { newTreeSitter, type TreeSitter } from './tree-sitter-runtime.js';

/** A grammar that is loaded. */
export interface LoadedGrammar {
  newParser(): Parser;
  /** @param before the text that the change applies to */
  treeEdit(before: string, change: TextChange): Edit;
}

/**
 * Loads the tree-sitter runtime, and each grammar when a document first needs it. A grammar that cannot be loaded is
 * logged once; its languages work without one.
 */
export class GrammarLoader {
  readonly #directory: string;
  readonly #log: Log;
  readonly #grammars = new Map<string, LoadedGrammar | 'loading' | 'failed'>();
  #runtime: Promise<TreeSitter> | null = null;

  /** @param directory contains web-tree-sitter and the grammars */
  constructor(directory: string, log: Log) {
    this.#directory = directory;
    this.#log = log;
  }

  /** Null until the grammar is loaded. The first call starts loading; it calls `onEnd` at the end, also if it failed. */
  get(grammar: string, onEnd: () => void): LoadedGrammar | null {
    const known = this.#grammars.get(grammar);
    if (known === 'loading' || known === 'failed') return null;
    if (known !== undefined) return known;
    this.#grammars.set(grammar, 'loading');
    this.#runtime ??= newTreeSitter(this.#directory);
    void this.#finish(grammar, this.#runtime, onEnd);
    return null;
  }

  isLoading(grammar: string): boolean {
    return this.#grammars.get(grammar) === 'loading';
  }

  /** Grammars that hold memory. */
  get loaded(): readonly string[] {
    return [...this.#grammars].flatMap(([grammar, known]) => (typeof known === 'string' ? [] : [grammar]));
  }

  /**
   * Drops the whole runtime: it failed, or holds grammars that no document needs. It cannot free them
   * one by one. The next document that needs a grammar gets a new runtime.
   */
  discardRuntime(): void {
    this.#runtime = null;
    for (const [grammar, known] of this.#grammars) {
      if (known !== 'failed') this.#grammars.delete(grammar);
    }
  }

  async #finish(grammar: string, runtime: Promise<TreeSitter>, onEnd: () => void): Promise<void> {
    const loaded = await this.#load(grammar, runtime);
    // The runtime may have been discarded meanwhile.
    if (this.#runtime !== runtime) return;
    this.#grammars.set(grammar, loaded ?? 'failed');
    try {
      onEnd();
    } catch (error) {
      this.#log.error(`A document could not be parsed: ${describeError(error)}`);
    }
  }

  async #load(grammar: string, runtime: Promise<TreeSitter>): Promise<LoadedGrammar | null> {
    try {
      const startedAt = performance.now();
      const { Edit, Language, Parser } = await runtime;
      const language = await Language.load(await readFile(join(this.#directory, grammarFile(grammar))));
      this.#log.debug(`The ${grammar} grammar is loaded (${Math.round(performance.now() - startedAt)} ms)`);
      return {
        newParser: () => new Parser().setLanguage(language),
        treeEdit: (before, change) => treeEdit(Edit, before, change),
      };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.#log.warn(`The ${grammar} grammar cannot be loaded, indentation decides instead: ${reason}`);
      return null;
    }
  }
}
