import { setTimeout as delay } from 'node:timers/promises';
import { agreement } from '../support/agreement.js';
import type { Answer, Editor } from '../support/servers/editor.js';

/** An event on the screen. */
export type Moment =
  | { readonly kind: 'typed'; readonly key: string; readonly ghost: string; readonly latencyMs: number | null }
  | { readonly kind: 'accepted'; readonly text: string; readonly whole: boolean };

export interface TypingResult {
  readonly typedCharacters: number;
  readonly acceptedCharacters: number;
  readonly acceptances: number;
  readonly latenciesMs: readonly number[];
  readonly keystrokes: number;
  readonly keystrokesWithGhost: number;
}

/** Milliseconds between keystrokes of a practised typist. */
const KEY_INTERVALS_MS = [95, 70, 120, 80, 60, 140, 85, 75, 110, 65];

/**
 * How long a person waits for suggestions in one session, all pauses together. An idle machine needs little of it; a
 * busy one needs it to show anything.
 */
export class Patience {
  #leftMs = 12_000;

  async during<T>(wait: (longestMs: number) => Promise<T>): Promise<T> {
    const startedAt = performance.now();
    try {
      return await wait(Math.max(0, Math.min(this.#leftMs, LONGEST_PAUSE_MS)));
    } finally {
      this.#leftMs -= performance.now() - startedAt;
    }
  }
}

const LONGEST_PAUSE_MS = 3000;

/** Shorter texts are typed faster than accepted. */
const WORTH_ACCEPTING = 4;

/**
 * Types the intended text, one key after the other at human speed. Accepts a suggestion, whole or up to its last right
 * word, if it equals the intended text.
 */
export async function typeWithSuggestions(
  editor: Editor,
  intention: string,
  patience: Patience,
  onMoment: (moment: Moment, editor: Editor) => void,
): Promise<TypingResult> {
  const latenciesMs: number[] = [];
  let keystrokes = 0;
  let keystrokesWithGhost = 0;
  let acceptedCharacters = 0;
  let acceptances = 0;
  let ghost = '';
  let done = 0;
  while (done < intention.length) {
    const key = nextKey(intention, done);
    await editor.insert(key);
    done += key.length;
    // Until the new answer arrives, the editor shows the rest of the old one.
    ghost = ghost.startsWith(key) ? ghost.slice(key.length) : '';
    const interval = KEY_INTERVALS_MS[keystrokes % KEY_INTERVALS_MS.length] ?? 90;
    const asked = editor.ask();
    const answer = pausesAfter(intention.slice(0, done))
      ? await patience.during((longestMs) => within(asked, interval, interval + longestMs))
      : await within(asked, interval, interval);
    keystrokes++;
    if (answer !== null) {
      ghost = answer.ghost?.text ?? '';
      latenciesMs.push(answer.latencyMs);
    }
    if (ghost !== '') keystrokesWithGhost++;
    onMoment({ kind: 'typed', key, ghost, latencyMs: answer?.latencyMs ?? null }, editor);

    const right = agreement(ghost, intention.slice(done));
    if (right.length >= WORTH_ACCEPTING) {
      await editor.insert(right);
      done += right.length;
      acceptedCharacters += right.length;
      acceptances++;
      const whole = right === ghost;
      ghost = ghost.slice(right.length);
      onMoment({ kind: 'accepted', text: right, whole }, editor);
    }
  }
  return {
    typedCharacters: intention.length - acceptedCharacters,
    acceptedCharacters,
    acceptances,
    latenciesMs,
    keystrokes,
    keystrokesWithGhost,
  };
}

/** A key, or Enter with the editor's indentation. */
function nextKey(intention: string, done: number): string {
  return /^\n[ \t]*/.exec(intention.slice(done))?.[0] ?? intention.slice(done, done + 1);
}

/** People pause at the start of a line and after a blank, a dot or an opening bracket, and type words without pause. */
function pausesAfter(typed: string): boolean {
  return /(?:^|[\s(.])$/.test(typed);
}

/**
 * The answer if it arrives in time; otherwise the next keystroke cancels the request. Waits at least the time to the
 * next key, and at most until the answer arrives.
 */
async function within(answer: Promise<Answer | null>, shortestMs: number, longestMs: number): Promise<Answer | null> {
  const timeout = new AbortController();
  const shortest = delay(shortestMs);
  try {
    return await Promise.race([answer, delay(longestMs, null, { signal: timeout.signal })]);
  } finally {
    timeout.abort();
    await shortest;
  }
}
