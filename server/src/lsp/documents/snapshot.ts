import type { TextDocument } from 'vscode-languageserver-textdocument';
import type { SelectedItem } from '../../completion/cursor/cursor-context.js';
import type { CompletionRequest, Trigger } from '../../completion/request/completion-request.js';
import { documentPath } from './document-path.js';

/** A request at a place of the current document. */
export function requestAt(
  document: TextDocument,
  offset: number,
  trigger: Trigger,
  folderUris: readonly string[],
  selected: SelectedItem | null = null,
): CompletionRequest {
  const { uri, languageId, version } = document;
  return {
    document: { uri, languageId, version, text: document.getText(), path: documentPath(uri, folderUris) },
    offset,
    position: document.positionAt(offset),
    selected,
    trigger,
  };
}
