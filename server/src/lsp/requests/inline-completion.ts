import type {
  Connection,
  InlineCompletionItem,
  InlineCompletionList,
  InlineCompletionParams,
  Position,
} from 'vscode-languageserver';
import { ErrorCodes, InlineCompletionTriggerKind, ResponseError } from 'vscode-languageserver';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import { ACCEPTED_COMMAND, type AcceptedItem } from '../../../protocol/index.js';
import type { CompletionService } from '../../completion/completion-service.js';
import type { SelectedItem } from '../../completion/cursor/cursor-context.js';
import type { CompletionOutcome, Suggestion } from '../../completion/request/completion-outcome.js';
import type { CompletionRequest } from '../../completion/request/completion-request.js';
import type { Log } from '../../util/log.js';
import { withAbortSignal } from '../connection/abort-signal.js';
import { isPosition, isSelectedCompletion, namesDocument } from '../connection/checked-messages.js';
import type { OpenDocuments } from '../documents/documents.js';
import { requestAt } from '../documents/snapshot.js';
import type { WorkspaceFolders } from '../documents/workspace-folders.js';

/** Converts `textDocument/inlineCompletion` to the service's types and back. Having no suggestion is not an error. */
export function handleInlineCompletion(
  connection: Connection,
  documents: OpenDocuments,
  folders: WorkspaceFolders,
  service: CompletionService,
  shown: (request: CompletionRequest, outcome: CompletionOutcome) => void,
  log: Log,
): void {
  const nothing: InlineCompletionList = { items: [] };

  connection.languages.inlineCompletion.on(async (params, token) => {
    if (!namesDocument(params) || !isPosition(params.position)) {
      return new ResponseError(ErrorCodes.InvalidParams, 'inline completion needs a document and a position');
    }
    const document = documents.get(params.textDocument.uri);
    if (document === undefined) {
      log.warn(`Inline completion was asked for in a document that is not open: ${params.textDocument.uri}`);
      return nothing;
    }
    const request = toRequest(document, params, folders.uris);
    if (request === null) return nothing;
    const startedAt = performance.now();
    const outcome = await withAbortSignal(token, (signal) => service.complete(request, signal));
    log.debug(
      `${document.uri}:${request.offset}: ${describe(outcome)} (${Math.round(performance.now() - startedAt)} ms)`,
    );

    // If the document has changed since the request, this text fits nowhere.
    const stale = documents.get(document.uri)?.version !== request.document.version;
    if (outcome.kind === 'none' || stale) return nothing;
    shown(request, outcome);
    return { items: outcome.suggestions.map((suggestion) => toItem(document, suggestion)) };
  });
}

/** Null if no suggestion can extend the suggest widget's selected item. */
function toRequest(
  document: TextDocument,
  { position, context }: InlineCompletionParams,
  folderUris: readonly string[],
): CompletionRequest | null {
  const offset = document.offsetAt(position);
  const info: unknown = context?.selectedCompletionInfo;
  let selected: SelectedItem | null = null;
  if (isSelectedCompletion(info)) {
    if (!samePosition(info.range.end, position)) return null;
    selected = { start: document.offsetAt(info.range.start), text: info.text };
  }
  const trigger = context?.triggerKind === InlineCompletionTriggerKind.Invoked ? 'invoked' : 'automatic';
  return requestAt(document, offset, trigger, folderUris, selected);
}

function toItem(document: TextDocument, { id, text, start, end }: Suggestion): InlineCompletionItem {
  const accepted: AcceptedItem = { suggestionId: id };
  return {
    insertText: text,
    range: { start: document.positionAt(start), end: document.positionAt(end) },
    // The editor compares this with the text in the range; its default is the text itself.
    filterText: text,
    command: { title: 'Suggestion accepted', command: ACCEPTED_COMMAND, arguments: [accepted] },
  };
}

function samePosition(left: Position, right: Position): boolean {
  return left.line === right.line && left.character === right.character;
}

function describe(outcome: CompletionOutcome): string {
  switch (outcome.kind) {
    case 'suggestions':
      return outcome.suggestions.map(({ id, text }) => `suggestion ${id}, ${text.length} characters`).join('; ');
    case 'none':
      return `no suggestion: ${outcome.reason}${outcome.detail === undefined ? '' : ` (${outcome.detail})`}`;
  }
}
