import {
  CancellationError,
  commands,
  Disposable,
  EventEmitter,
  type InlineCompletionItem,
  type InlineCompletionList,
  InlineCompletionTriggerKind,
  type LogOutputChannel,
  type Position,
  Range,
  type TextDocument,
  window,
} from 'vscode';
import type { Middleware } from 'vscode-languageclient/node';
import { ACCEPTED_COMMAND, type AcceptedItem } from '../../../server/protocol/index.js';
import { EDITOR_COMMANDS, INKLING_COMMANDS } from '../manifest/command-ids.js';
import { describeError } from '../texts/log.js';

/** The stable API reports no partial acceptance; Inkling's own key bindings report it. */
export type AcceptEvent =
  | { readonly kind: 'all'; readonly suggestionId: number }
  | { readonly kind: 'word' | 'line'; readonly uri: string; readonly text: string };

type InlineCompletionMiddleware = Required<Pick<Middleware, 'provideInlineCompletionItems'>>;

export interface InlineCompletionListener {
  /** Whether automatic suggestions may appear. */
  isWanted(document: TextDocument): boolean;
  /** The version and place of a document for which VS Code got ghost text, or none. */
  onAnswer(document: TextDocument, version: number, position: Position, hasItems: boolean): void;
  /** The user asked, and there is nothing to show. */
  onNothing(): void;
}

interface Asked {
  readonly document: TextDocument;
  readonly version: number;
  readonly position: Position;
  isAnswered: boolean;
}

/**
 * Filters the requests between VS Code and the client's own provider: asks the server only where the user wants
 * suggestions, or asks for one. A cancelled or failed request returns nothing, silently.
 */
export function createInlineCompletionMiddleware(
  listener: InlineCompletionListener,
  log: LogOutputChannel,
): InlineCompletionMiddleware {
  /** The last question that the user asked by command. */
  let asked: Asked | null = null;
  return {
    provideInlineCompletionItems: async (document, position, context, token, next) => {
      if (token.isCancellationRequested) return null;
      const { version } = document;
      if (context.triggerKind === InlineCompletionTriggerKind.Invoke) {
        asked = { document, version, position, isAnswered: false };
      }
      // VS Code asks again by itself, as when its suggest widget opens, and forgets the question before.
      const ownQuestion = asked !== null && isAt(asked, document, position) ? asked : null;
      if (ownQuestion === null && (!listener.isWanted(document) || hasSeveralCursors(document))) return null;
      const where = `version ${version}, line ${position.line + 1}`;
      try {
        const result = await next(document, position, context, token);
        if (token.isCancellationRequested) throw new CancellationError();
        log.trace(`Suggestions (${where}): ${countItems(result)}.`);
        listener.onAnswer(document, version, position, countItems(result) > 0);
        if (ownQuestion?.isAnswered === false && countItems(result) === 0) listener.onNothing();
        if (ownQuestion !== null) ownQuestion.isAnswered = true;
        return result;
      } catch (error) {
        if (error instanceof CancellationError) log.trace(`Suggestion cancelled (${where}).`);
        else log.error(`Suggestion failed (${where}): ${describeError(error)}`);
        return null;
      }
    },
  };
}

function isAt(asked: Asked, document: TextDocument, { line, character }: Position): boolean {
  const isThere = asked.position.line === line && asked.position.character === character;
  return isThere && asked.document === document && asked.version === document.version;
}

/** Accepting ghost text at several cursors would insert it at one of them only. */
export function hasSeveralCursors(document: TextDocument): boolean {
  const editor = window.activeTextEditor;
  return editor?.document === document && editor.selections.length > 1;
}

function countItems(result: InlineCompletionItem[] | InlineCompletionList | null | undefined): number {
  return (Array.isArray(result) ? result : (result?.items ?? [])).length;
}

/** Reports accepted suggestions: whole ones by their command, words and lines by wrapping VS Code's commands. */
export class Acceptance implements Disposable {
  readonly #emitter = new EventEmitter<AcceptEvent>();
  readonly #registrations = Disposable.from(
    commands.registerCommand(ACCEPTED_COMMAND, (item: unknown) => this.#acceptedAll(item)),
    commands.registerCommand(INKLING_COMMANDS.acceptNextWord, () =>
      this.#acceptPart('word', EDITOR_COMMANDS.acceptNextWord),
    ),
    commands.registerCommand(INKLING_COMMANDS.acceptNextLine, () =>
      this.#acceptPart('line', EDITOR_COMMANDS.acceptNextLine),
    ),
  );
  readonly onDidAccept = this.#emitter.event;

  dispose(): void {
    this.#registrations.dispose();
    this.#emitter.dispose();
  }

  #acceptedAll(item: unknown): void {
    // Any extension can run this command.
    if (isAcceptedItem(item)) this.#emitter.fire({ kind: 'all', suggestionId: item.suggestionId });
  }

  async #acceptPart(kind: 'word' | 'line', command: string): Promise<void> {
    const editor = window.activeTextEditor;
    const before = editor?.selection.active;
    await commands.executeCommand(command);
    if (editor === undefined || before === undefined) return;
    const text = editor.document.getText(new Range(before, editor.selection.active));
    if (text !== '') this.#emitter.fire({ kind, uri: editor.document.uri.toString(), text });
  }
}

function isAcceptedItem(value: unknown): value is AcceptedItem {
  return (
    typeof value === 'object' && value !== null && 'suggestionId' in value && typeof value.suggestionId === 'number'
  );
}
