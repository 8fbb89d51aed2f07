import { pathToFileURL } from 'node:url';
import { CancellationTokenSource, type InlineCompletionItem, type Position } from 'vscode-languageserver-protocol';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { type AcceptedItem, CURSOR_NOTIFICATION, type CursorMoved } from '../../../server/protocol/index.js';
import type { ServerProcess } from './server-process.js';

/** Ghost text at the cursor. */
export interface Ghost {
  readonly text: string;
  /** Characters after the cursor that the text replaces. */
  readonly replaces: number;
  /** What the editor reports when the user accepts the whole text; null if the server does not ask for it. */
  readonly suggestionId: number | null;
}

/** An answer to a completion request; null if a later keystroke cancelled it. */
export interface Answer {
  readonly ghost: Ghost | null;
  readonly latencyMs: number;
}

/**
 * One open document with a cursor, like in an editor: typing sends the change, cancels the open request and asks for a
 * completion.
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

  /** The cursor's line before and after the cursor. */
  get line(): { readonly before: string; readonly after: string } {
    const text = this.#document.getText();
    const start = text.lastIndexOf('\n', this.#offset - 1) + 1;
    const end = text.indexOf('\n', this.#offset);
    return { before: text.slice(start, this.#offset), after: text.slice(this.#offset, end < 0 ? undefined : end) };
  }

  get uri(): string {
    return this.#document.uri;
  }

  get text(): string {
    return this.#document.getText();
  }

  /** Of the text, as the server was told. */
  get version(): number {
    return this.#version;
  }

  /** In UTF-16 units. */
  get offset(): number {
    return this.#offset;
  }

  async insert(text: string): Promise<void> {
    await this.#replace(this.#offset, text);
  }

  /** Deletes UTF-16 units before the cursor. */
  async deleteBack(count: number): Promise<void> {
    await this.#replace(this.#offset - count, '');
  }

  /** Moves the cursor, and reports its position like a client once it rests. */
  async moveTo(offset: number): Promise<void> {
    this.#pending?.cancel();
    this.#offset = offset;
    const moved: CursorMoved = { uri: this.#document.uri, ...this.#document.positionAt(offset) };
    await this.#server.connection.sendNotification(CURSOR_NOTIFICATION, moved);
  }

  async #replace(start: number, text: string): Promise<void> {
    this.#pending?.cancel();
    const range = { start: this.#document.positionAt(start), end: this.#document.positionAt(this.#offset) };
    TextDocument.update(this.#document, [{ range, text }], ++this.#version);
    this.#offset = start + text.length;
    await this.#server.change(this.#document.uri, this.#version, [{ range, text }]);
  }

  /** Null if the next request or keystroke came first. */
  async ask(): Promise<Answer | null> {
    this.#pending?.cancel();
    const cancellation = new CancellationTokenSource();
    this.#pending = cancellation;
    const startedAt = performance.now();
    try {
      const position = this.#document.positionAt(this.#offset);
      const items = await this.#server.complete(this.#document.uri, position, cancellation.token);
      if (cancellation.token.isCancellationRequested) return null;
      return { ghost: toGhost(items[0], position), latencyMs: performance.now() - startedAt };
    } catch (error) {
      if (cancellation.token.isCancellationRequested) return null;
      throw error;
    } finally {
      if (this.#pending === cancellation) this.#pending = null;
    }
  }
}

function toGhost(item: InlineCompletionItem | undefined, at: Position): Ghost | null {
  if (item === undefined) return null;
  const replaces = item.range?.end.line === at.line ? item.range.end.character - at.character : 0;
  const [accepted] = (item.command?.arguments ?? []) as Partial<AcceptedItem>[];
  return {
    text: typeof item.insertText === 'string' ? item.insertText : item.insertText.value,
    replaces,
    suggestionId: accepted?.suggestionId ?? null,
  };
}
