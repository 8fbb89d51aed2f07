import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  ACCEPTANCE_NOTIFICATION,
  type AcceptedItem,
  type CompletionStatistics,
  CURSOR_NOTIFICATION,
  DECISIONS_REQUEST,
  type Decision,
  EDIT_REASON_NOTIFICATION,
  STATISTICS_REQUEST,
} from '../../server/protocol/index.js';
import { sureCode } from '../support/code/sure-code.js';
import { ServerProcess } from '../support/servers/server-process.js';

const PATIENT = { timeBudgetMs: 60_000, threads: 1 };
const URI = 'file:///work/area.ts';
const { text: TEXT, position: PLACE } = sureCode();

let state: string;
let server: ServerProcess;

beforeEach(async () => {
  state = mkdtempSync(join(tmpdir(), 'inkling-state-'));
  server = new ServerProcess({ environment: { INKLING_STATE_DIR: state } });
  await server.initialize(PATIENT);
  await server.waitForState('ready');
});

afterEach(async () => {
  await server.dispose();
  rmSync(state, { recursive: true });
});

const after = (characters: number) => ({ ...PLACE, character: PLACE.character + characters });
const decisions = () => server.connection.sendRequest<Decision[]>(DECISIONS_REQUEST);
const statistics = () => server.connection.sendRequest<CompletionStatistics>(STATISTICS_REQUEST);

async function insert(version: number, character: number, text: string, uri = URI): Promise<void> {
  const place = { ...PLACE, character };
  await server.change(uri, version, [{ range: { start: place, end: place }, text }]);
}

/** A suggestion that was shown whole. A slow machine shows a part first, so another document asks again. */
async function suggestedWhole() {
  for (let attempt = 0; attempt < 5; attempt++) {
    const uri = URI.replace('area', `area${attempt}`);
    await server.open(uri, 'typescript', TEXT);
    const [item] = await server.complete(uri, PLACE);
    const [decision] = await decisions();
    if (item !== undefined && decision?.outcome === 'shown') return { uri, item, text: String(item.insertText) };
  }
  throw new Error('no suggestion was shown whole');
}

it('reports decisions, and answers from the last suggestion while the user types along', async () => {
  const { uri, item: first, text } = await suggestedWhole();
  await insert(2, PLACE.character, text.slice(0, 2), uri);
  const [second] = await server.complete(uri, after(2));
  expect(second?.insertText).toBe(text.slice(2));
  const [reused, computed] = await decisions();
  expect(computed).toMatchObject({ outcome: 'shown', source: 'engine', text, ...PLACE, reason: null });
  expect(computed?.engine?.promptTokens).toBeGreaterThan(20);
  expect(computed?.chance).toBeGreaterThan(0);
  expect(reused).toMatchObject({ outcome: 'shown', source: 'reused', engine: null });
  expect(second?.command?.arguments).toEqual(first.command?.arguments);
});

it('waits for the next key after undo', async () => {
  await server.open(URI, 'typescript', TEXT);
  await insert(2, PLACE.character, 'w');
  await server.connection.sendNotification(EDIT_REASON_NOTIFICATION, { uri: URI, version: 2, reason: 'undo' });
  expect(await server.complete(URI, after(1))).toEqual([]);
  expect((await decisions())[0]).toMatchObject({ outcome: 'nothing', reason: 'afterUndo' });
});

it('takes a name behind a dot for a completed one, and any other for pasted text', async () => {
  await server.open(URI, 'typescript', TEXT);
  await insert(2, PLACE.character, '.');
  await insert(3, PLACE.character + 1, 'push');
  await server.complete(URI, after(5));
  expect((await decisions())[0]?.reason).not.toBe('afterPaste');
  await insert(4, PLACE.character + 5, 'more');
  await server.complete(URI, after(9));
  expect((await decisions())[0]).toMatchObject({ outcome: 'nothing', reason: 'afterPaste' });
});

it('suggests after the line ends of a document were switched, as before', async () => {
  await server.open(URI, 'typescript', TEXT);
  const lines = TEXT.split('\n');
  const range = {
    start: { line: 0, character: 0 },
    end: { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 },
  };
  // As VS Code tells it.
  await server.change(URI, 2, [{ range, text: lines.join('\r\n') }]);
  const [item] = await server.complete(URI, PLACE);
  const [decision] = await decisions();
  expect(decision?.reason).toBeNull();
  expect(item).toBeDefined();
});

it('counts shown and accepted suggestions, prepares the next one, and keeps the counts', async () => {
  const { uri, item, text } = await suggestedWhole();
  await insert(2, PLACE.character, text, uri);
  const [{ suggestionId }] = (item.command?.arguments ?? [{}]) as [AcceptedItem];
  await server.connection.sendNotification(ACCEPTANCE_NOTIFICATION, { kind: 'all', suggestionId });
  await server.complete(uri, after(text.length));
  const [followUp, prepared] = await decisions();
  // The editor's own request was answered at once by the prepared suggestion.
  expect([followUp?.trigger, prepared?.trigger].sort()).toEqual(['automatic', 'prepared']);
  expect(await statistics()).toMatchObject({ shown: expect.any(Number), accepted: 1, partlyAccepted: 0 });
  await server.shutdown();
  expect(JSON.parse(readFileSync(join(state, 'statistics.json'), 'utf8'))).toMatchObject({ accepted: 1 });
});

it('evaluates a prompt where the cursor rests, so that the first key there reuses it', async () => {
  await server.open(URI, 'typescript', `${'// a line that says something\n'.repeat(30)}${TEXT}`);
  const place = { ...PLACE, line: PLACE.line + 30 };
  await server.connection.sendNotification(CURSOR_NOTIFICATION, { uri: URI, ...place });
  // Evaluation creates checkpoints; when no new ones appear, it has ended.
  let checkpointBytes = 0;
  const isDone = async () => {
    const before = checkpointBytes;
    checkpointBytes = (await server.status()).memory?.checkpointBytes ?? 0;
    return checkpointBytes > 0 && checkpointBytes === before;
  };
  await expect.poll(isDone, { interval: 1000, timeout: 60_000 }).toBe(true);
  await server.complete(URI, place);
  const [decision] = await decisions();
  expect(decision?.reanchored).toBeNull();
  expect(decision?.engine?.reusedTokens).toBeGreaterThan(200);
});

it('evaluates a document that is shown before the first key comes', async () => {
  // A slow machine needs longer. Each attempt shows another document.
  for (const [attempt, waitMs] of [1_000, 3_000, 9_000].entries()) {
    const uri = URI.replace('area', `shown${attempt}`);
    await server.open(uri, 'typescript', TEXT.repeat(8));
    await server.connection.sendNotification(CURSOR_NOTIFICATION, { uri, ...PLACE });
    await delay(waitMs);
    await insert(2, PLACE.character, 'r', uri);
    await server.complete(uri, after(1));
    const [decision] = await decisions();
    // Without evaluation ahead the first key makes the anchor.
    if (decision?.reanchored === null && (decision.engine?.reusedTokens ?? 0) > 200) return;
  }
  throw new Error('nothing was evaluated ahead');
});
