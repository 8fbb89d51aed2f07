import { setTimeout as delay } from 'node:timers/promises';
import { CancellationTokenSource } from 'vscode-languageserver-protocol';
import {
  CHAT_ASK_REQUEST,
  CHAT_CAPABILITIES_REQUEST,
  CHAT_COUNT_REQUEST,
  CHECK_MODEL_REQUEST,
  type ChatMessage,
  type ChatOutcome,
  CLIPBOARD_NOTIFICATION,
  CONTEXT_REQUEST,
  DECISIONS_REQUEST,
  DIAGNOSTICS_NOTIFICATION,
  FREE_CACHES_REQUEST,
  LIST_MODELS_REQUEST,
  LOAD_NOTIFICATION,
  STATISTICS_REQUEST,
  UNLOAD_REQUEST,
  UNWATCH_MEMORY_NOTIFICATION,
  WATCH_MEMORY_REQUEST,
} from '../../server/protocol/index.js';
import type { Desk } from './desk.js';
import { deleteBack, passageOf, placeIn, type, undoAndRedo } from './typing.js';

export interface Activity {
  readonly name: string;
  /** How often, against the others. */
  readonly weight: number;
  readonly run: (desk: Desk) => Promise<void>;
}

/** What users do in a day. */
export const ACTIVITIES: readonly Activity[] = [
  { name: 'write', weight: 40, run: write },
  { name: 'rewrite', weight: 12, run: rewrite },
  { name: 'undo', weight: 8, run: undo },
  { name: 'move', weight: 10, run: move },
  { name: 'open_and_close', weight: 10, run: openAndClose },
  { name: 'chat', weight: 8, run: chat },
  { name: 'settings', weight: 4, run: changeSettings },
  { name: 'reload', weight: 2, run: reload },
  { name: 'idle', weight: 3, run: idle },
  { name: 'memory_pressure', weight: 3, run: memoryPressure },
  { name: 'unload', weight: 2, run: unload },
  { name: 'look', weight: 4, run: look },
];

async function write(desk: Desk): Promise<void> {
  const editor = await desk.editor();
  await editor.moveTo(placeIn(desk, editor));
  await type(desk, editor, passageOf(desk, editor));
}

async function rewrite(desk: Desk): Promise<void> {
  const editor = await desk.editor();
  await editor.moveTo(placeIn(desk, editor));
  const line = editor.line.before;
  await deleteBack(desk, editor, line.length);
  await type(desk, editor, line);
}

async function undo(desk: Desk): Promise<void> {
  const editor = await desk.editor();
  await editor.moveTo(placeIn(desk, editor));
  const passage = passageOf(desk, editor, 60);
  await editor.insert(passage);
  await undoAndRedo(desk, editor, passage);
}

async function move(desk: Desk): Promise<void> {
  const editor = await desk.editor();
  for (let moves = 3 + desk.random.below(6); moves > 0; moves -= 1) {
    await editor.moveTo(placeIn(desk, editor));
    await delay(desk.pick([20, 60, 350]));
  }
  await desk.ledger.expect('suggestion after a move', editor.ask());
}

async function openAndClose(desk: Desk): Promise<void> {
  for (let count = 1 + desk.random.below(5); count > 0; count -= 1) {
    const editor = await desk.open();
    await editor.moveTo(placeIn(desk, editor));
    await desk.ledger.expect('suggestion in an opened document', editor.ask());
    if (desk.random.below(2) === 0) await desk.close();
  }
}

const QUESTIONS = ['What is this?', 'Write a test for it.', 'Why is that wrong?', 'Can it be shorter?'];

/** A conversation of some turns beside typing; each third answer is stopped. */
async function chat(desk: Desk): Promise<void> {
  const messages: ChatMessage[] = [];
  const { connection } = desk.server;
  for (let turns = 1 + desk.random.below(3); turns > 0; turns -= 1) {
    const editor = await desk.editor();
    messages.push({ role: 'user', text: `\`\`\`\n${passageOf(desk, editor, 600)}\n\`\`\`\n${desk.pick(QUESTIONS)}` });
    const stop = new CancellationTokenSource();
    const params = { id: desk.questionId(), messages, maxTokens: 16 + desk.random.below(160) };
    const asked = desk.ledger.expect('chat', connection.sendRequest<ChatOutcome>(CHAT_ASK_REQUEST, params, stop.token));
    if (desk.random.below(2) === 0) await write(desk);
    if (desk.random.below(3) === 0) {
      await delay(desk.random.below(200));
      stop.cancel();
    }
    const outcome = await asked;
    if (outcome === null || outcome.kind === 'refused') return;
    messages.push({ role: 'assistant', text: outcome.answer.text || '...' });
  }
}

const PASSING_SETTINGS = [
  { enabled: false },
  { languages: { typescript: false } },
  { trigger: 'manual' },
  { maxTokens: 8 },
  { contextEnabled: false },
  { inComments: false, inStrings: false },
  { contextClipboard: true, contextExclude: ['**/*.h'] },
  { speculation: 'off' },
  { timeBudgetMs: 50 },
];

async function changeSettings(desk: Desk): Promise<void> {
  await desk.change(desk.pick(PASSING_SETTINGS));
  await write(desk);
  await desk.change({});
}

async function reload(desk: Desk): Promise<void> {
  await desk.change({ contextLength: desk.pick([1024, 2048, 3000]) });
  if (desk.random.below(2) === 0) await desk.ready();
  await write(desk);
  await desk.change({});
  await desk.ready();
}

/** The model goes after a second without a key, and the next key brings it back. */
async function idle(desk: Desk): Promise<void> {
  await desk.change({ unloadAfterMinutes: 1 / 60 });
  await desk.ledger.expect('unloaded', desk.server.waitForState('unloaded', 30_000));
  await write(desk);
  await desk.change({});
  await write(desk);
}

async function memoryPressure(desk: Desk): Promise<void> {
  await desk.change({ memoryBudgetGb: desk.pick([0.19, 0.2, 0.25]) });
  await write(desk);
  await desk.request(FREE_CACHES_REQUEST);
  await desk.change({});
  await desk.ready();
}

async function unload(desk: Desk): Promise<void> {
  await desk.request(UNLOAD_REQUEST);
  await write(desk);
  await desk.server.connection.sendNotification(LOAD_NOTIFICATION, {});
  await desk.ready();
}

/** Opens the views that ask the server. */
async function look(desk: Desk): Promise<void> {
  const { connection } = desk.server;
  const editor = await desk.editor();
  await connection.sendNotification(DIAGNOSTICS_NOTIFICATION, {
    uri: editor.uri,
    messages: ["Property 'shiftLength' does not exist on type 'Planner'."],
  });
  await connection.sendNotification(CLIPBOARD_NOTIFICATION, { text: passageOf(desk, editor) });
  await desk.request(WATCH_MEMORY_REQUEST);
  await write(desk);
  await desk.request(DECISIONS_REQUEST);
  await desk.request(CONTEXT_REQUEST, { uri: editor.uri });
  await desk.request(STATISTICS_REQUEST);
  await desk.request(LIST_MODELS_REQUEST, {});
  await desk.request(CHECK_MODEL_REQUEST, { path: desk.workplace.model });
  await desk.request(CHAT_CAPABILITIES_REQUEST);
  await desk.request(CHAT_COUNT_REQUEST, { text: passageOf(desk, editor) });
  await connection.sendNotification(UNWATCH_MEMORY_NOTIFICATION, {});
}
