import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Edit, Parser } from 'web-tree-sitter';
import type { Log } from '../util/log.js';
import { grammarFile } from './grammars.js';
import type { TextChange } from './syntax.js';
import { treeEdit } from './tree-edit.js';

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
  #runtime: Promise<typeof import('web-tree-sitter')> | null = null;

  /** @param directory contains `web-tree-sitter.wasm` and the grammars */
  constructor(directory: string, log: Log) {
    this.#directory = directory;
    this.#log = log;
  }

  /** Null until the grammar is loaded. The first call starts loading and calls `onLoaded` once at the end. */
  get(grammar: string, onLoaded: () => void): LoadedGrammar | null {
    const known = this.#grammars.get(grammar);
    if (known === 'loading' || known === 'failed') return null;
    if (known !== undefined) return known;
    this.#grammars.set(grammar, 'loading');
    void this.#load(grammar).then((loaded) => {
      this.#grammars.set(grammar, loaded ?? 'failed');
      if (loaded !== null) onLoaded();
    });
    return null;
  }

  async #load(grammar: string): Promise<LoadedGrammar | null> {
    try {
      this.#runtime ??= this.#loadRuntime();
      const startedAt = performance.now();
      const { Edit, Language, Parser } = await this.#runtime;
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

  async #loadRuntime(): Promise<typeof import('web-tree-sitter')> {
    const runtime = await import('web-tree-sitter');
    const wasmBinary = await readFile(join(this.#directory, 'web-tree-sitter.wasm'));
    await runtime.Parser.init({ wasmBinary });
    return runtime;
  }
}
