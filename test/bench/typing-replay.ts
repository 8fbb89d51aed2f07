import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { DECISIONS_REQUEST, type Decision } from '../../server/protocol/index.js';
import { agreement } from '../support/agreement.js';
import { Editor } from '../support/editor.js';
import type { ServerProcess } from '../support/server-process.js';
import type { TypingTrace } from './typing-trace.js';

/** One request of the editor with its answer. */
export interface ReplayedRequest {
  readonly text: string;
  readonly offset: number;
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
const WORTH_ACCEPTING = 6;

/**
 * Plays a trace in real time, like an editor with its user. Each key cancels the request before it. The user accepts
 * the part of a suggestion that equals the intended text.
 */
export async function replay(server: ServerProcess, trace: TypingTrace): Promise<Replay> {
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
        await editor.moveTo(editor.text.indexOf(step.behind) + step.behind.length);
        await delay(step.pauseMs);
        break;
      }
      case 'mistake': {
        if (skip > 0) break;
        await editor.insert(step.text);
        requests.push(ask(server, editor, documentUri).request);
        await delay(step.pauseMs);
        await editor.deleteBack(step.text.length);
        requests.push(ask(server, editor, documentUri).request);
        await delay(step.pauseMs);
        break;
      }
      case 'type': {
        if (skip >= step.text.length) {
          skip -= step.text.length;
          break;
        }
        await editor.insert(step.text);
        typedCharacters += step.text.length;
        const asked = ask(server, editor, documentUri);
        requests.push(asked.request);
        const inTime = Promise.race([asked.ghost, delay(step.pauseMs, null)]);
        const [ghost] = await Promise.all([inTime, delay(step.pauseMs)]);
        const right = agreement(ghost ?? '', step.rest);
        if (right.length >= WORTH_ACCEPTING) {
          await editor.insert(right);
          acceptedCharacters += right.length;
          skip = right.length;
          const next = ask(server, editor, documentUri);
          requests.push(next.request);
          await Promise.race([next.request, delay(LOOKING_AT_ACCEPTED_MS)]);
        }
        break;
      }
    }
  }
  return { requests: await Promise.all(requests), acceptedCharacters, typedCharacters };
}

const LOOKING_AT_ACCEPTED_MS = 200;

function ask(server: ServerProcess, editor: Editor, uri: string) {
  const { text, offset } = editor;
  const answered = editor.ask();
  const ghost = answered.then((answer) => answer?.ghost?.text ?? null);
  const request = answered.then(async (answer): Promise<ReplayedRequest> => {
    if (answer === null) return { text, offset, answer: null };
    const decisions = await server.connection.sendRequest<Decision[]>(DECISIONS_REQUEST);
    const { line, character } = positionOf(text, offset);
    const decision = decisions.find(
      (each) => each.uri === uri && each.line === line && each.character === character && each.trigger === 'automatic',
    );
    return {
      text,
      offset,
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
