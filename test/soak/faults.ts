import { rmSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { CancellationTokenSource, DidChangeTextDocumentNotification } from 'vscode-languageserver-protocol';
import { CHAT_ASK_REQUEST, type ChatOutcome } from '../../server/protocol/index.js';
import type { Activity } from './activities.js';
import type { Desk } from './desk.js';
import { passageOf, placeIn, type } from './typing.js';

/** What goes wrong in a day and must not end the server. */
export const FAULTS: readonly Activity[] = [
  { name: 'cancel_storm', weight: 4, run: cancelStorm },
  { name: 'stopped_chat', weight: 3, run: stoppedChat },
  { name: 'nonsense', weight: 4, run: nonsense },
  { name: 'deleted_document', weight: 4, run: deletedDocument },
  { name: 'deaf_client', weight: 2, run: deafClient },
  { name: 'large_paste', weight: 1, run: largePaste },
];

/** Each key cancels the request before it. */
async function cancelStorm(desk: Desk): Promise<void> {
  const editor = await desk.editor();
  await editor.moveTo(placeIn(desk, editor));
  const answers: Promise<unknown>[] = [];
  for (const key of passageOf(desk, editor)) {
    await editor.insert(key);
    answers.push(desk.ledger.expect('suggestion in a storm', editor.ask()));
    await delay(desk.random.below(6));
  }
  await Promise.all(answers);
}

async function stoppedChat(desk: Desk): Promise<void> {
  const answers = [0, 1, 2, 3].map(async (index) => {
    const stop = new CancellationTokenSource();
    const messages = [{ role: 'user', text: `Write a long story about the number ${index}.` }];
    const params = { id: desk.questionId(), messages, maxTokens: 700 };
    const asked = desk.server.connection.sendRequest<ChatOutcome>(CHAT_ASK_REQUEST, params, stop.token);
    setTimeout(() => stop.cancel(), desk.random.below(400));
    await desk.ledger.expect('stopped chat', asked);
  });
  await Promise.all(answers);
}

const NONSENSE: readonly (readonly [method: string, params: unknown])[] = [
  ['inkling/unheardOf', {}],
  ['textDocument/inlineCompletion', { nonsense: true }],
  ['textDocument/inlineCompletion', null],
  ['textDocument/inlineCompletion', { textDocument: { uri: 7 }, position: 'here' }],
  ['textDocument/hover', { textDocument: { uri: 'file:///none' }, position: { line: 0, character: 0 } }],
  [CHAT_ASK_REQUEST, { id: 5, messages: 'hm' }],
  [CHAT_ASK_REQUEST, { id: 'x', messages: [{ role: 'owner', text: '\0\ud800' }] }],
  ['inkling/chatCount', { text: { length: 1e9 } }],
  ['inkling/checkModel', { path: '../../../../dev/null' }],
  ['inkling/checkModel', { path: 42 }],
  ['inkling/getContext', { uri: null }],
  ['inkling/memory/watch', [1, 2, 3]],
];

async function nonsense(desk: Desk): Promise<void> {
  const { connection } = desk.server;
  for (let count = 0; count < 4; count += 1) {
    const [method, params] = desk.pick(NONSENSE);
    await desk.ledger.expectRefusal(method, connection.sendRequest(method, params));
  }
  const editor = await desk.editor();
  const textDocument = { uri: editor.uri, version: -3 };
  const far = { line: 9_999_999, character: 2 ** 31 };
  const notifications: readonly (readonly [string, unknown])[] = [
    ['textDocument/didChange', { textDocument: null }],
    ['textDocument/didChange', { textDocument: { uri: 'file:///never/opened.ts', version: 7 }, contentChanges: [] }],
    ['inkling/cursorMoved', { uri: editor.uri, line: -1, character: 1e12 }],
    ['inkling/accepted', { kind: 'all', suggestionId: 'no' }],
    ['inkling/editReason', 5],
    ['inkling/workspace', { trusted: 'yes', exclude: [7, null] }],
    ['workspace/didChangeConfiguration', { settings: { ...desk.workplace.settings, maxTokens: 'many' } }],
  ];
  for (const [method, params] of notifications) await connection.sendNotification(method, params);
  await desk.ledger.expect('suggestion far behind the end', desk.server.complete(editor.uri, far));
  // The server's text is no longer the editor's, so the document is closed.
  await connection.sendNotification(DidChangeTextDocumentNotification.type, {
    textDocument,
    contentChanges: [{ range: { start: far, end: { line: 0, character: 0 } }, text: '\ud800' }],
  });
  await desk.ledger.expect('suggestion after nonsense', editor.ask());
  await desk.close(editor);
  await desk.change({});
}

/** The file goes while the document is open, and the document while a request for it runs. */
async function deletedDocument(desk: Desk): Promise<void> {
  const editor = await desk.editor();
  const file = fileURLToPath(editor.uri);
  const name = desk.workplace.files.find((each) => desk.workplace.pathOf(each) === file);
  if (name === undefined) return;
  const text = desk.workplace.textOf(name);
  try {
    rmSync(file);
    await editor.moveTo(placeIn(desk, editor));
    await type(desk, editor, passageOf(desk, editor, 40));
    const asked = desk.ledger.expect('suggestion in a document that closes', editor.ask());
    await desk.close(editor);
    await asked;
    await desk.ledger.expect('suggestion in a closed document', editor.ask());
  } finally {
    writeFileSync(file, text);
  }
}

/** The client reads nothing for a while, and asks all the same. */
async function deafClient(desk: Desk): Promise<void> {
  const { stdout } = desk.server.child;
  const editor = await desk.editor();
  await editor.moveTo(placeIn(desk, editor));
  stdout?.pause();
  try {
    const answers: Promise<unknown>[] = [];
    for (const key of passageOf(desk, editor)) {
      await editor.insert(key);
      answers.push(desk.ledger.expect('suggestion for a deaf client', editor.ask()));
      await delay(20);
    }
    await delay(desk.random.below(3000));
    stdout?.resume();
    await Promise.all(answers);
  } finally {
    stdout?.resume();
  }
}

/** A long document comes from the clipboard, and goes again. */
async function largePaste(desk: Desk): Promise<void> {
  const editor = await desk.open();
  const pasted = '\n'.concat(editor.text).repeat(Math.ceil(150_000 / (editor.text.length + 1)));
  await editor.moveTo(editor.text.length);
  await editor.insert(pasted);
  await desk.ledger.expect('suggestion after a large paste', editor.ask());
  await type(desk, editor, passageOf(desk, editor, 40));
  await desk.close(editor);
}
