import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { DECISIONS_REQUEST, type Decision } from '../../../server/protocol/index.js';
import { FAST_MS } from '../../../server/src/completion/confidence/gate.js';
import { agreement } from '../../support/agreement.js';
import { anchorIn } from '../../support/code/fixtures.js';
import { Editor } from '../../support/servers/editor.js';
import type { ServerProcess } from '../../support/servers/server-process.js';
import type { TypingTrace } from './typing-trace.js';

/** One request of the editor with its answer. */
export interface ReplayedRequest {
  readonly text: string;
  readonly offset: number;
  /** The ghost text with its id; null without one. `right`: as far as its first line goes; null after a wrong key. */
  readonly ghost: { readonly id: number | null; readonly right: boolean | null } | null;
  /** Null if the next key came first. */
  readonly answer: {
    readonly latencyMs: number;
    readonly shown: boolean;
    /** Tokens that the model evaluated; 0 if the cache answered. */
    readonly evaluated: number;
    readonly source: Decision['source'];
    readonly reason: string | null;
  } | null;
}

export interface Replay {
  readonly requests: readonly ReplayedRequest[];
  readonly acceptedCharacters: number;
  readonly typedCharacters: number;
}

/** Shorter texts are typed faster than accepted. */
export const WORTH_ACCEPTING = 6;

/**
 * `real`: the trace's own pauses. The others wait for the answer to the key before: `fast` for nothing else, `slow` so long
 * that no key is one of the gate's fast ones.
 */
export type Pace = 'real' | 'fast' | 'slow';

export const SLOW_KEY_MS = FAST_MS + 50;

/**
 * Plays a trace in real time, like an editor with its user. Each key cancels the request before it. The user accepts
 * the part of a suggestion that equals the intended text.
 */
export async function replay(server: ServerProcess, trace: TypingTrace, pace: Pace = 'real'): Promise<Replay> {
  const pause = (milliseconds: number) =>
    pace === 'fast' ? Promise.resolve() : delay(pace === 'real' ? milliseconds : SLOW_KEY_MS);
  const file = `/bench/${trace.name}`;
  const documentUri = pathToFileURL(file).href;
  const editor = await Editor.open(server, file, trace.languageId, trace.text, 0);
  const requests: Promise<ReplayedRequest>[] = [];
  let acceptedCharacters = 0;
  let typedCharacters = 0;
  /** Accepted text is not typed again. */
  let skip = 0;
  for (const step of trace.steps) {
    switch (step.kind) {
      case 'jump': {
        skip = 0;
        await editor.moveTo(anchorIn(editor.text, step.behind) + step.behind.length);
        await pause(step.pauseMs);
        break;
      }
      case 'mistake': {
        if (skip > 0) break;
        await editor.insert(step.text);
        const mistaken = ask(server, editor, documentUri, null);
        requests.push(mistaken.request);
        await Promise.all([pace === 'real' ? null : mistaken.request, pause(step.pauseMs)]);
        await editor.deleteBack(step.text.length);
        const mended = ask(server, editor, documentUri, null);
        requests.push(mended.request);
        await Promise.all([pace === 'real' ? null : mended.request, pause(step.pauseMs)]);
        break;
      }
      case 'type': {
        if (skip >= step.text.length) {
          skip -= step.text.length;
          break;
        }
        await editor.insert(step.text);
        typedCharacters += step.text.length;
        const asked = ask(server, editor, documentUri, step.rest);
        requests.push(asked.request);
        const inTime = pace === 'real' ? Promise.race([asked.ghost, delay(step.pauseMs, null)]) : asked.ghost;
        const [ghost] = await Promise.all([inTime, pause(step.pauseMs)]);
        const right = agreement(ghost ?? '', step.rest);
        if (right.length >= WORTH_ACCEPTING) {
          await editor.insert(right);
          acceptedCharacters += right.length;
          skip = right.length;
          const next = ask(server, editor, documentUri, step.rest.slice(right.length));
          requests.push(next.request);
          await (pace === 'real' ? Promise.race([next.request, delay(LOOKING_AT_ACCEPTED_MS)]) : next.request);
        }
        break;
      }
    }
  }
  return { requests: await Promise.all(requests), acceptedCharacters, typedCharacters };
}

const LOOKING_AT_ACCEPTED_MS = 200;

/** Whether the first line with text, as far as a suggestion shows it, is what comes; half a word is not. */
export function firstLineRight(ghost: string, rest: string): boolean {
  const shown = /^\s*[^\n]*/.exec(ghost)?.[0].trimEnd() ?? '';
  return isWhole(shown, rest);
}

/** Whether a text comes; half a word is not right. */
export function isWhole(shown: string, rest: string): boolean {
  return rest.startsWith(shown) && !(/\w$/.test(shown) && /^\w/.test(rest.slice(shown.length)));
}

/** @param rest what is still to be typed; null after a wrong key */
function ask(server: ServerProcess, editor: Editor, uri: string, rest: string | null) {
  const { text, offset } = editor;
  const answered = editor.ask();
  const ghost = answered.then((answer) => answer?.ghost?.text ?? null);
  const request = answered.then(async (answer): Promise<ReplayedRequest> => {
    if (answer === null) return { text, offset, ghost: null, answer: null };
    const decisions = await server.connection.sendRequest<Decision[]>(DECISIONS_REQUEST);
    const { line, character } = positionOf(text, offset);
    const decision = decisions.find(
      (each) => each.uri === uri && each.line === line && each.character === character && each.trigger === 'automatic',
    );
    return {
      text,
      offset,
      ghost: answer.ghost && {
        id: answer.ghost.suggestionId,
        right: rest === null ? null : firstLineRight(answer.ghost.text, rest),
      },
      answer: {
        latencyMs: answer.latencyMs,
        shown: answer.ghost !== null,
        evaluated: decision?.engine?.evaluatedTokens ?? 0,
        source: decision?.source ?? null,
        reason: decision?.reason ?? null,
      },
    };
  });
  return { ghost, request };
}

function positionOf(text: string, offset: number): { readonly line: number; readonly character: number } {
  const before = text.slice(0, offset).split('\n');
  return { line: before.length - 1, character: before.at(-1)?.length ?? 0 };
}
