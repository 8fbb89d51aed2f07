import { expect, it } from 'vitest';
import type { Connection } from 'vscode-languageserver';
import { TextDocument } from 'vscode-languageserver-textdocument';
import { ACCEPTANCE_NOTIFICATION, ACCEPTED_COMMAND } from '../../../../../server/protocol/index.js';
import type { CompletionService } from '../../../../../server/src/completion/completion-service.js';
import type { AcceptanceTracker, AcceptedWhole } from '../../../../../server/src/completion/feedback/acceptance.js';
import type { WorkspaceFolders } from '../../../../../server/src/lsp/documents/workspace-folders.js';
import { handleAcceptance } from '../../../../../server/src/lsp/requests/acceptance.js';
import { Emitter } from '../../../../../server/src/util/emitter.js';
import { SILENT } from '../../scripted-engine.js';

const URI = 'file:///a.ts';

/** What reached the tracker and the service, and what the log warned of. */
function handled(act: (tell: (params: unknown) => void, execute: (params: unknown) => unknown) => void) {
  const calls: unknown[] = [];
  const warnings: string[] = [];
  const accepted = new Emitter<AcceptedWhole>();
  let tell: (params: unknown) => void = () => undefined;
  let execute: (params: unknown) => unknown = () => undefined;
  const connection = {
    onNotification: (_: string, handler: typeof tell) => {
      tell = handler;
    },
    onExecuteCommand: (handler: typeof execute) => {
      execute = handler;
    },
  } as unknown as Connection;
  const service = {
    complete: async ({ offset, trigger }: { offset: number; trigger: string }) => calls.push([trigger, offset]),
  } as unknown as CompletionService;
  const acceptance = {
    onDidAccept: accepted.event,
    accepted: (event: unknown) => {
      calls.push(event);
      accepted.fire({ uri: URI, offset: 3 });
      accepted.fire({ uri: 'file:///closed.ts', offset: 3 });
    },
  } as unknown as AcceptanceTracker;
  const document = TextDocument.create(URI, 'typescript', 1, 'one\ntwo');
  const documents = { get: (uri: string) => (uri === URI ? document : undefined), all: () => [document] };
  const folders = { uris: [] } as unknown as WorkspaceFolders;
  const log = { ...SILENT, warn: (message: string) => warnings.push(message) };
  handleAcceptance(connection, documents, folders, service, acceptance, log);
  act(tell, execute);
  return { calls, warnings };
}

it.each([
  { kind: 'all', suggestionId: 7 },
  { kind: 'part', uri: URI, text: 'a' },
])('the notification takes %j, and what follows is prepared', (params) => {
  expect(handled((tell) => tell(params))).toEqual({ calls: [params, ['prepared', 3]], warnings: [] });
});

it.each([undefined, { kind: 'most', suggestionId: 7 }, { kind: 'all' }, { kind: 'part', uri: URI }])(
  'the notification ignores %j, and says so',
  (params) => {
    const { calls, warnings } = handled((tell) => tell(params));
    expect(calls).toEqual([]);
    expect(warnings).toEqual([expect.stringContaining(`${ACCEPTANCE_NOTIFICATION} must hold`)]);
  },
);

it('the command is executed here', () => {
  const { calls, warnings } = handled((_, execute) => {
    expect(execute({ command: ACCEPTED_COMMAND, arguments: [{ suggestionId: 7 }] })).toBeNull();
  });
  expect(calls[0]).toEqual({ kind: 'all', suggestionId: 7 });
  expect(warnings).toEqual([]);
});

it.each([
  undefined,
  { command: 'other' },
  { command: ACCEPTED_COMMAND },
  { command: ACCEPTED_COMMAND, arguments: [{ suggestionId: 'x' }] },
])('%j executes nothing, and the log says so', (params) => {
  const { calls, warnings } = handled((_, execute) => execute(params));
  expect(calls).toEqual([]);
  expect(warnings).toHaveLength(1);
});
