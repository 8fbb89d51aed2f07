import { setTimeout as delay } from 'node:timers/promises';
import { steadyWindow } from '../../../server/src/next-edit/history/steady-window.js';
import type { ReadyPrompt } from '../../../server/src/next-edit/rewrite/ready-prompt.js';
import { PAUSE_MS } from '../decode/plain-decode.js';
import type { BenchmarkFields, BenchmarkOptions } from '../measure/benchmark.js';
import { median, round } from '../measure/statistics.js';
import { LlamaServer } from '../peer/llama-server.js';
import type { NextEditModel } from './next-edit-answers.js';
import type { NextEditScenario } from './next-edit-scenarios.js';

const CONTEXT_LENGTH = 2048;
/** Regions of so many lines, as the server takes. */
const LINES = { least: 18, most: 22 };
const COMPLETION = 'export function describe(name: string, count: number): string {\n  const label = ';
const COMPLETION_TOKENS = 8;
/** After the first region: our engine measures its costs once. */
const CALIBRATION_MS = 2_000;

/** Edits of a session, and how many of them are made before the first question. */
const SESSION_EDITS = 10;
const FIRST_QUESTION = 4;

interface Sample {
  readonly ms: number;
  readonly peerMs: number | null;
  /** `refused`: the answer departed, and nothing after that could be shown. */
  readonly end: 'unchanged' | 'refused' | 'rewritten';
  readonly decodedTokens: number;
  readonly regionTokens: number;
  readonly promptTokens: number;
}

/** Questions of one session, of which each has one more edit than the one before. */
interface Session {
  readonly ms: readonly number[];
  /** Shares of the prompt that were evaluated before. */
  readonly reused: readonly number[];
}

/**
 * How long the model takes for a region of about twenty lines of which it has seen nothing and about which the server
 * would ask, ours and llama-server's with the same prompt; in a session, where it has seen the earlier edits; and
 * whether the completion that was there before is as fast afterwards.
 */
export async function measureLatency(
  model: NextEditModel,
  scenarios: readonly NextEditScenario[],
  { runs, progress, model: file }: BenchmarkOptions,
): Promise<BenchmarkFields> {
  const asked = scenarios.filter((scenario) => {
    const lines = scenario.current.split('\n').length - 1;
    return lines >= LINES.least && lines <= LINES.most && model.wouldAsk(scenario);
  });
  const peer = await startPeer(model, file, progress);
  const samples: Sample[] = [];
  let session: Session = { ms: [], reused: [] };
  const completions: { before: number; after: number }[] = [];
  try {
    for (const [index, scenario] of asked.slice(0, runs + 1).entries()) {
      progress(index === 0 ? 'a region that is not counted' : `region ${index} of ${Math.min(runs, asked.length - 1)}`);
      await delay(PAUSE_MS);
      const before = await completionMs(model, index, 1);
      const sample = await measure(model, scenario, peer);
      await delay(PAUSE_MS);
      const after = await completionMs(model, index, 2);
      if (index === 0) {
        await delay(CALIBRATION_MS);
        continue;
      }
      completions.push({ before, after });
      if (sample !== null) samples.push(sample);
    }
    session = await measureSession(model, asked);
  } finally {
    await peer?.stop();
  }
  const of = (end: Sample['end']) => samples.filter((sample) => sample.end === end);
  return {
    regions_without_edit: of('unchanged').length,
    regions_refused: of('refused').length,
    regions_with_edit: of('rewritten').length,
    prompt_tokens_p50: middle(samples.map(({ promptTokens }) => promptTokens).filter((tokens) => tokens > 0)),
    ms_no_edit_p50: middle(of('unchanged').map(({ ms }) => ms)),
    ms_refused_p50: middle(of('refused').map(({ ms }) => ms)),
    ms_edit_p50: middle(of('rewritten').map(({ ms }) => ms)),
    peer_ms_no_edit_p50: middle(of('unchanged').flatMap(({ peerMs }) => peerMs ?? [])),
    peer_ms_edit_p50: middle(of('rewritten').flatMap(({ peerMs }) => peerMs ?? [])),
    decoded_over_region: decodedShare(of('rewritten')),
    session_ms_p50: middle(session.ms),
    session_reused_share: mean(session.reused),
    completion_ms_before_p50: middle(completions.map(({ before }) => before)),
    completion_ms_after_p50: middle(completions.map(({ after }) => after)),
  };
}

async function measure(
  model: NextEditModel,
  scenario: NextEditScenario,
  peer: LlamaServer | null,
): Promise<Sample | null> {
  const prompt = await model.promptFor(scenario);
  const started = performance.now();
  const outcome = await model.answerAsServer(scenario, prompt);
  const ms = performance.now() - started;
  if (outcome.kind === 'refused') {
    return { ms, peerMs: null, end: 'refused', decodedTokens: 0, regionTokens: 0, promptTokens: 0 };
  }
  if (outcome.kind !== 'rewrite') return null;
  const { answer, decoded, regionTokens, promptTokens } = outcome.rewrite;
  const peerMs = peer === null ? null : await peerTime(model, prompt, regionTokens, peer);
  const end = answer.kind === 'rewritten' ? 'rewritten' : 'unchanged';
  return { ms, peerMs, end, decodedTokens: decoded.length, regionTokens, promptTokens };
}

/** A question after each edit but the first ones, each about another region, with a completion in between. */
async function measureSession(model: NextEditModel, asked: readonly NextEditScenario[]): Promise<Session> {
  const made = asked.flatMap(({ edits }) => edits).slice(0, SESSION_EDITS);
  const edits = made.map((edit, number) => ({ ...edit, number }));
  const session: { ms: number[]; reused: number[] } = { ms: [], reused: [] };
  for (let count = FIRST_QUESTION; count <= edits.length; count++) {
    const scenario = asked[count];
    if (scenario === undefined) break;
    const question = { ...scenario, edits: steadyWindow(edits.slice(0, count), model.mostEdits) };
    await completionMs(model, count, 1);
    const prompt = await model.promptFor(question);
    const started = performance.now();
    const outcome = await model.answer(prompt);
    const ms = performance.now() - started;
    if (count === FIRST_QUESTION || outcome.kind !== 'rewrite') continue;
    const { answer, promptTokens, reusedTokens } = outcome.rewrite;
    session.reused.push(reusedTokens / promptTokens);
    if (answer.kind === 'unchanged') session.ms.push(ms);
  }
  return session;
}

async function peerTime(model: NextEditModel, { parts }: ReadyPrompt, regionTokens: number, peer: LlamaServer) {
  const tokens: number[] = [];
  for (const part of parts) tokens.push(...(typeof part === 'number' ? [part] : await model.engine.tokenize(part)));
  const started = performance.now();
  await peer.complete(tokens, 2 * regionTokens);
  return performance.now() - started;
}

/** Typing along: the second request finds what the first one evaluated, if it is still there. */
async function completionMs(model: NextEditModel, place: number, typed: number): Promise<number> {
  const { fim } = model.facts;
  if (fim === null || fim.middle === null) return 0;
  const prefix = `// ${place}\n${COMPLETION}${'name'.slice(0, typed)}`;
  const prompt = [fim.prefix, prefix, fim.suffix, '\n}\n', fim.middle];
  const started = performance.now();
  await model.engine.generate(
    { prompt, sectionBoundaries: [prompt.length], maxTokens: COMPLETION_TOKENS },
    () => undefined,
    new AbortController().signal,
  );
  return performance.now() - started;
}

/** Null where no llama-server is built: then only our figures are there. */
async function startPeer(
  { facts, flavour }: NextEditModel,
  model: string,
  progress: (text: string) => void,
): Promise<LlamaServer | null> {
  try {
    const { threads } = facts;
    return await LlamaServer.start({ flavour, model, threads, contextLength: CONTEXT_LENGTH, reuse: true });
  } catch (error) {
    progress(`without llama-server: ${error instanceof Error ? error.message : String(error)}`);
    return null;
  }
}

/**
 * Of all regions together: few of them have an edit, and a busy machine decodes some tokens more until it hears that an
 * answer meets the old text.
 */
function decodedShare(samples: readonly Sample[]): number {
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const decoded = sum(samples.map(({ decodedTokens }) => decodedTokens));
  return round(decoded / Math.max(1, sum(samples.map(({ regionTokens }) => regionTokens))), 2);
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : round(values.reduce((sum, value) => sum + value, 0) / values.length, 2);
}

function middle(values: readonly number[]): number {
  return values.length === 0 ? 0 : round(median(values), 2);
}
