import { setTimeout as delay } from 'node:timers/promises';
import { ACCEPTANCE_NOTIFICATION, type Acceptance, EDIT_REASON_NOTIFICATION } from '../../server/protocol/index.js';
import type { Editor, Ghost } from '../support/servers/editor.js';
import type { Desk } from './desk.js';

/** A third of a typist's, so that twenty minutes hold a day. */
const KEY_MS = [32, 24, 40, 27, 20, 46, 28, 25, 36, 22];
const KEYS_TO_A_MISTAKE = 29;
const KEYS_TO_AN_ACCEPTANCE = 12;

/** Text of another place of the same document. */
export function passageOf(desk: Desk, editor: Editor, longest = 160): string {
  const { text } = editor;
  const start = text.indexOf('\n', desk.random.below(Math.max(1, text.length - longest)));
  return start < 0 ? '\nreturn ' : text.slice(start, start + 20 + desk.random.below(longest));
}

/** The end of a line. */
export function placeIn(desk: Desk, editor: Editor): number {
  const { text } = editor;
  const end = text.indexOf('\n', desk.random.below(Math.max(1, text.length)));
  return end < 0 ? text.length : end;
}

/** Types a passage key by key, and takes suggestions whole, by the word or by the line. */
export async function type(desk: Desk, editor: Editor, passage: string): Promise<void> {
  const { random } = desk;
  const answers: Promise<unknown>[] = [];
  for (let at = 0; at < passage.length; ) {
    const key = /^\n[ \t]*/.exec(passage.slice(at))?.[0] ?? passage[at] ?? '';
    at += key.length;
    await editor.insert(key);
    const asked = desk.ledger.expect('suggestion', editor.ask());
    answers.push(asked);
    const pause = KEY_MS[at % KEY_MS.length] ?? 30;
    const waits = random.below(KEYS_TO_AN_ACCEPTANCE) === 0;
    const inTime = Promise.race([asked, delay(waits ? 10 * pause : pause, null)]);
    const [answer] = await Promise.all([inTime, delay(pause)]);
    const ghost = answer?.ghost ?? null;
    if (waits && ghost !== null) await accept(desk, editor, ghost);
    if (random.below(KEYS_TO_A_MISTAKE) === 0) {
      await editor.insert('q');
      answers.push(desk.ledger.expect('suggestion', editor.ask()));
      await delay(pause);
      await editor.deleteBack(1);
    }
  }
  await Promise.all(answers);
}

async function accept(desk: Desk, editor: Editor, { text, suggestionId }: Ghost): Promise<void> {
  const { connection } = desk.server;
  const [word = '', line = ''] = [/^\s*\S+/.exec(text)?.[0], /^\n?[^\n]*/.exec(text)?.[0]];
  const part = desk.pick([text, text, word, line]);
  if (part === '') return;
  await editor.insert(part);
  const accepted: Acceptance =
    part === text && suggestionId !== null
      ? { kind: 'all', suggestionId }
      : { kind: 'part', uri: editor.uri, text: part };
  await connection.sendNotification(ACCEPTANCE_NOTIFICATION, accepted);
  await desk.ledger.expect('suggestion after an acceptance', editor.ask());
  if (desk.random.below(3) === 0) await undoAndRedo(desk, editor, part);
}

/** Takes back in pieces what was inserted last, and brings half of the pieces back. */
export async function undoAndRedo(desk: Desk, editor: Editor, inserted: string): Promise<void> {
  const pieces = inserted.match(/[\s\S]{1,12}/g) ?? [];
  const reason = async (why: 'undo' | 'redo') => {
    await desk.server.connection.sendNotification(EDIT_REASON_NOTIFICATION, {
      uri: editor.uri,
      version: editor.version,
      reason: why,
    });
    void desk.ledger.expect('suggestion after undo', editor.ask());
    await delay(15);
  };
  for (const piece of pieces.toReversed()) {
    await editor.deleteBack(piece.length);
    await reason('undo');
  }
  for (const piece of pieces.slice(0, Math.ceil(pieces.length / 2))) {
    await editor.insert(piece);
    await reason('redo');
  }
}

/** Deletes backwards as one does with the key held down. */
export async function deleteBack(desk: Desk, editor: Editor, count: number): Promise<void> {
  for (let left = Math.min(count, editor.offset); left > 0; ) {
    const step = Math.min(left, 1 + desk.random.below(8));
    left -= step;
    await editor.deleteBack(step);
    void desk.ledger.expect('suggestion after deleting', editor.ask());
    await delay(20);
  }
}
