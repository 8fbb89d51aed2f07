import { setTimeout as delay } from 'node:timers/promises';
import { agreement } from '../support/agreement.js';
import type { Answer, Editor } from '../support/editor.js';

/** Something that happened on the screen. */
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

/** Milliseconds between keystrokes, as of a practised typist. */
const KEY_INTERVALS_MS = [95, 70, 120, 80, 60, 140, 85, 75, 110, 65];

/**
 * How long a person may wait for suggestions in one session, all pauses for thought together. An idle machine uses
 * little of it; a busy one needs it to show anything at all.
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

/** Less than this is typed sooner than it is accepted. */
const WORTH_ACCEPTING = 4;

/**
 * Types what a person has in mind, one key after the other at a human pace, and accepts a suggestion, whole or up to
 * the last word that is right, where it says what was going to be typed anyway.
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
    // While the new answer is on its way the editor goes on showing the old one, as far as it was typed along.
    ghost = ghost.startsWith(key) ? ghost.slice(key.length) : '';
    const interval = KEY_INTERVALS_MS[keystrokes % KEY_INTERVALS_MS.length] ?? 90;
    const asked = editor.ask();
    const answer = worthAPause(intention.slice(0, done))
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

/** A key; or Enter, with the indentation that the editor adds by itself. */
function nextKey(intention: string, done: number): string {
  return /^\n[ \t]*/.exec(intention.slice(done))?.[0] ?? intention.slice(done, done + 1);
}

/** People pause at the start of a line and after a blank, a dot or an opening bracket, and type through words. */
function worthAPause(typed: string): boolean {
  return /(?:^|[\s(.])$/.test(typed);
}

/**
 * The answer if it comes in time; if not, the next keystroke will cancel the request. Takes at least as long as fingers
 * need to the next key, and goes on then as soon as the answer is there.
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
