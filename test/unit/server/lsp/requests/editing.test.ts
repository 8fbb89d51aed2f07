import { expect, it } from 'vitest';
import type { Connection } from 'vscode-languageserver';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { CURSOR_NOTIFICATION, EDIT_REASON_NOTIFICATION } from '../../../../../server/protocol/index.js';
import type { CompletionService } from '../../../../../server/src/completion/completion-service.js';
import type { WorkspaceFolders } from '../../../../../server/src/lsp/documents/workspace-folders.js';
import { handleEditing } from '../../../../../server/src/lsp/requests/editing.js';
import type { NextEditService } from '../../../../../server/src/next-edit/next-edit-service.js';
import { SILENT } from '../../scripted-engine.js';

const URI = 'file:///a.ts';

/** Sends one notification; answers what reached the services, and what the log warned of. */
function told(method: string, params: unknown): { readonly calls: unknown[]; readonly warnings: string[] } {
  const calls: unknown[] = [];
  const warnings: string[] = [];
  const handlers = new Map<string, (params: unknown) => void>();
  const connection = {
    onNotification: (name: string, handler: (params: unknown) => void) => handlers.set(name, handler),
  } as unknown as Connection;
  const service = {
    documentUndone: (...all: unknown[]) => calls.push(all),
    cursorMoved: ({ offset }: { offset: number }) => calls.push(offset),
  } as unknown as CompletionService;
  const shown = { cursorAt: ({ trigger }: { trigger: string }) => calls.push(trigger) };
  const document = TextDocument.create(URI, 'typescript', 1, 'one\ntwo');
  const documents = { get: (uri: string) => (uri === URI ? document : undefined), all: () => [document] };
  const folders = { uris: [] } as unknown as WorkspaceFolders;
  const log = { ...SILENT, warn: (message: string) => warnings.push(message) };
  const nextEdits = {
    documentUndone: (uri: string) => calls.push(uri),
    cursorMoved: (uri: string) => calls.push(uri),
  } as unknown as NextEditService;
  handleEditing(connection, documents, folders, service, nextEdits, shown, log);
  handlers.get(method)?.(params);
  return { calls, warnings };
}

it.each([
  [EDIT_REASON_NOTIFICATION, { uri: URI, version: 3, reason: 'redo' }, [[URI, 3], URI]],
  [CURSOR_NOTIFICATION, { uri: URI, line: 1, character: 2 }, [6, 'prepared', URI]],
])('%s takes %j', (method, params, calls) => {
  expect(told(method, params)).toEqual({ calls, warnings: [] });
});

// The editor tells of an undo in the box for a commit message too, which is no document of the server.
it.each([
  [EDIT_REASON_NOTIFICATION, { uri: 'vscode-scm:git/input', version: 3, reason: 'undo' }],
  [CURSOR_NOTIFICATION, { uri: 'vscode-scm:git/input', line: 0, character: 0 }],
])('%s of a document that is not open changes nothing: %j', (method, params) => {
  expect(told(method, params)).toEqual({ calls: [], warnings: [] });
});

it.each([
  [EDIT_REASON_NOTIFICATION, undefined],
  [EDIT_REASON_NOTIFICATION, { uri: URI, version: 'new', reason: 'undo' }],
  [EDIT_REASON_NOTIFICATION, { uri: URI, version: 3, reason: 'paste' }],
  [CURSOR_NOTIFICATION, [URI, 1, 2]],
  [CURSOR_NOTIFICATION, { uri: URI, line: -1, character: 2 }],
  [CURSOR_NOTIFICATION, { uri: URI, line: 1, character: 1.5 }],
])('%s ignores %j, and says so', (method, params) => {
  const { calls, warnings } = told(method, params);
  expect(calls).toEqual([]);
  expect(warnings).toEqual([expect.stringContaining(`${method} must hold`)]);
});
