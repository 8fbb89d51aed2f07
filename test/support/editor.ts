import { pathToFileURL } from 'node:url';
import { CancellationTokenSource, type InlineCompletionItem } from 'vscode-languageserver-protocol';
import { TextDocument } from 'vscode-languageserver-textdocument';
import type { ServerProcess } from './server-process.js';

/** Ghost text at the cursor. */
export interface Ghost {
  readonly text: string;
}

/** An answer to a completion request; null when a later keystroke cancelled it. */
export interface Answer {
  readonly ghost: Ghost | null;
  readonly latencyMs: number;
}

/**
 * One open document with a cursor, as an editor keeps it: typing sends the change and asks for a completion, and a
 * request that is still open then is cancelled.
 */
export class Editor {
  readonly #server: ServerProcess;
  readonly #document: TextDocument;
  #offset: number;
  #version = 1;
  #pending: CancellationTokenSource | null = null;

  private constructor(server: ServerProcess, document: TextDocument, offset: number) {
    this.#server = server;
    this.#document = document;
    this.#offset = offset;
  }

  static async open(
    server: ServerProcess,
    file: string,
    languageId: string,
    text: string,
    offset: number,
  ): Promise<Editor> {
    const uri = pathToFileURL(file).href;
    await server.open(uri, languageId, text);
    return new Editor(server, TextDocument.create(uri, languageId, 1, text), offset);
  }

  /** The cursor's line up to the cursor, and what follows on it. */
  get line(): { readonly before: string; readonly after: string } {
    const text = this.#document.getText();
    const start = text.lastIndexOf('\n', this.#offset - 1) + 1;
    const end = text.indexOf('\n', this.#offset);
    return { before: text.slice(start, this.#offset), after: text.slice(this.#offset, end < 0 ? undefined : end) };
  }

  async insert(text: string): Promise<void> {
    this.#pending?.cancel();
    const position = this.#document.positionAt(this.#offset);
    const change = { range: { start: position, end: position }, text };
    TextDocument.update(this.#document, [change], ++this.#version);
    this.#offset += text.length;
    await this.#server.change(this.#document.uri, this.#version, [change]);
  }

  /** Null when the next request or keystroke came first. */
  async ask(): Promise<Answer | null> {
    this.#pending?.cancel();
    const cancellation = new CancellationTokenSource();
    this.#pending = cancellation;
    const startedAt = performance.now();
    try {
      const position = this.#document.positionAt(this.#offset);
      const items = await this.#server.complete(this.#document.uri, position, cancellation.token);
      if (cancellation.token.isCancellationRequested) return null;
      return { ghost: toGhost(items[0]), latencyMs: performance.now() - startedAt };
    } catch (error) {
      if (cancellation.token.isCancellationRequested) return null;
      throw error;
    } finally {
      if (this.#pending === cancellation) this.#pending = null;
    }
  }
}

function toGhost(item: InlineCompletionItem | undefined): Ghost | null {
  if (item === undefined) return null;
  return { text: typeof item.insertText === 'string' ? item.insertText : item.insertText.value };
}
