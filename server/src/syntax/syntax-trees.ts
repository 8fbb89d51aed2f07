import { collectGarbage } from '../util/collect-garbage.js';
import { describeError } from '../util/describe-error.js';
import type { Log } from '../util/log.js';
import type { GrammarLoader } from './grammar-loader.js';
import { grammarOf } from './grammars.js';
import { LexicalSyntax } from './lexical/lexical-syntax.js';
import { ParsedDocument, SlowParseError } from './parsed-document.js';
import type { Syntax, SyntaxDocument, SyntaxSource } from './syntax.js';
import { TreeSyntax } from './tree-syntax.js';

/** In UTF-16 units. A tree takes about twenty times its text, and a first parse about 0.1 ms per thousand units. */
const MAX_TEXT_LENGTH = 512 * 1024;
const MAX_DOCUMENTS = 12;
/** How long a request waits for the parser: enough for a change, perhaps not for a whole file. */
const FOREGROUND_LIMIT_MS = 8;
/** Background parsing yields to messages after this time. */
const BACKGROUND_SLICE_MS = 5;
/** A grammar without a document goes after this time, but not while the user types. */
const GIVE_BACK_AFTER_MS = 5 * 60_000;
const REST_MS = 30_000;

/** A document with its trees, and its text when they were last asked for. */
interface Entry {
  readonly parsed: ParsedDocument;
  readonly document: SyntaxDocument;
}

/** The trees of the latest documents, parsed on demand; nobody waits for a slow parse. */
export class SyntaxTrees implements SyntaxSource {
  readonly #grammars: GrammarLoader;
  /** By URI and language, the last used at the end. */
  readonly #documents = new Map<string, Entry>();
  /** Documents whose grammar is loading, by the same keys. */
  readonly #waiting = new Map<string, SyntaxDocument>();
  /** Keys of documents in which their grammar failed. They do without: a slow one until it is closed. */
  readonly #failed = new Map<string, 'slow' | 'trapped'>();
  readonly #log: Log;
  #giveBack: NodeJS.Timeout | null = null;
  #lastUsedAt = 0;

  constructor(grammars: GrammarLoader, log: Log) {
    this.#grammars = grammars;
    this.#log = log;
  }

  at(document: SyntaxDocument): Syntax {
    const { languageId, text } = document;
    this.#lastUsedAt = performance.now();
    const lexical = new LexicalSyntax(languageId, text);
    const parsed = text.length > MAX_TEXT_LENGTH ? null : this.#parsedDocument(document);
    if (parsed === null) return lexical;
    if (!parsed.parse(text, FOREGROUND_LIMIT_MS)) {
      this.#parseInBackground(parsed, text);
      return lexical;
    }
    return parsed.tree === null ? lexical : new TreeSyntax(parsed, parsed.tree, lexical);
  }

  /** Loads the grammar and parses the text, so that the first suggestion finds both done. */
  prepare(document: SyntaxDocument): void {
    if (document.text.length > MAX_TEXT_LENGTH) return;
    const parsed = this.#parsedDocument(document);
    if (parsed !== null) this.#parseInBackground(parsed, document.text);
  }

  /** Frees a document's trees, whatever its language was. */
  close(uri: string): void {
    for (const [key, { parsed }] of this.#documents) {
      if (!key.endsWith(` ${uri}`)) continue;
      this.#documents.delete(key);
      parsed.close();
    }
    for (const key of this.#waiting.keys()) {
      if (key.endsWith(` ${uri}`)) this.#waiting.delete(key);
    }
    this.#giveBackIn(GIVE_BACK_AFTER_MS);
    for (const [key, how] of this.#failed) {
      if (how === 'slow' && key.endsWith(` ${uri}`)) this.#failed.delete(key);
    }
  }

  dispose(): void {
    if (this.#giveBack !== null) clearTimeout(this.#giveBack);
    for (const { parsed } of this.#documents.values()) parsed.close();
    this.#documents.clear();
    this.#waiting.clear();
  }

  /** How many documents have a tree or a running parse. */
  get openDocuments(): number {
    return this.#documents.size;
  }

  #parsedDocument(document: SyntaxDocument): ParsedDocument | null {
    const grammar = grammarOf(document.languageId);
    if (grammar === null) return null;
    const key = `${grammar} ${document.uri}`;
    if (this.#failed.has(key)) return null;
    let parsed = this.#documents.get(key)?.parsed;
    if (parsed === undefined) {
      const loaded = this.#grammars.get(grammar, () => this.#prepareWaiting(grammar));
      if (loaded === null) {
        if (this.#grammars.isLoading(grammar)) this.#wait(key, document);
        return null;
      }
      try {
        parsed = new ParsedDocument(loaded, (error) => this.#fail(key, error));
      } catch (error) {
        this.#fail(key, error);
        return null;
      }
    }
    this.#documents.delete(key);
    this.#documents.set(key, { parsed, document });
    this.#forgetOldest();
    return parsed;
  }

  #wait(key: string, document: SyntaxDocument): void {
    this.#waiting.delete(key);
    this.#waiting.set(key, document);
    const [oldest] = this.#waiting.keys();
    if (this.#waiting.size > MAX_DOCUMENTS && oldest !== undefined) this.#waiting.delete(oldest);
  }

  #prepareWaiting(grammar: string): void {
    for (const [key, document] of [...this.#waiting]) {
      if (!key.startsWith(`${grammar} `)) continue;
      this.#waiting.delete(key);
      this.prepare(document);
    }
  }

  #forgetOldest(): void {
    for (const [key, { parsed }] of this.#documents) {
      if (this.#documents.size <= MAX_DOCUMENTS) return;
      this.#documents.delete(key);
      parsed.close();
    }
  }

  /**
   * A document does without a grammar that failed in it. One that trapped, as tree-sitter's Ruby does at 1,200 heredocs,
   * may have left anything in the runtime's memory: all other documents get a new runtime.
   */
  #fail(key: string, error: unknown): void {
    const [grammar, uri] = key.split(' ', 2);
    this.#log.warn(`The ${grammar} grammar failed in ${uri}, so indentation decides there: ${describeError(error)}`);
    if (error instanceof SlowParseError) {
      this.#failed.set(key, 'slow');
      this.#documents.delete(key);
      return;
    }
    this.#failed.set(key, 'trapped');
    for (const { parsed } of this.#documents.values()) parsed.abandon();
    this.#documents.clear();
    this.#grammars.discardRuntime();
  }

  #giveBackIn(milliseconds: number): void {
    if (this.#giveBack !== null) clearTimeout(this.#giveBack);
    this.#giveBack = setTimeout(() => {
      this.#giveBack = null;
      if (performance.now() - this.#lastUsedAt < REST_MS) this.#giveBackIn(REST_MS);
      else this.#giveGrammarsBack();
    }, milliseconds);
    this.#giveBack.unref();
  }

  /** The memory of WebAssembly never shrinks: what is still needed moves to another runtime. */
  #giveGrammarsBack(): void {
    const needed = new Set([...this.#documents.keys()].map((key) => key.split(' ', 1)[0]));
    const unneeded = this.#grammars.loaded.filter((grammar) => !needed.has(grammar));
    if (unneeded.length === 0) return;
    const entries = [...this.#documents.values()];
    const documents = [...entries.map(({ document }) => document), ...this.#waiting.values()];
    for (const { parsed } of entries) parsed.close();
    this.#documents.clear();
    this.#waiting.clear();
    this.#grammars.discardRuntime();
    for (const document of documents) this.prepare(document);
    // In a later turn, when nothing here refers to the old runtime.
    setImmediate(collectGarbage);
    this.#log.debug(`Grammars without a document were given back: ${unneeded.join(', ')}`);
  }

  #parseInBackground(parsed: ParsedDocument, text: string): void {
    setImmediate(() => {
      if (parsed.isClosed || parsed.parse(text, BACKGROUND_SLICE_MS)) return;
      this.#parseInBackground(parsed, text);
    });
  }
}
