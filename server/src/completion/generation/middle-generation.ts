import type { SpeculationMode } from '../../../protocol/index.js';
import type { EngineClient } from '../../engine/lifecycle/engine-client.js';
import type { GenerationMetrics, GenerationResult, LocalMetrics } from '../../engine/port/generation.js';
import type { FimPrompt } from '../../prompt/fim-prompt.js';
import type { FimTemplate } from '../../prompt/fim-template.js';
import { piecesOf, type ScoredPiece } from '../request/scored-text.js';
import type { Branch } from './branching.js';
import type { StopRule } from './stop-rule.js';
import { StopTracker } from './stop-tracker.js';

export interface MiddleQuestion {
  readonly prompt: FimPrompt;
  readonly template: FimTemplate;
  /** Whether the model may choose the last typed tokens again, with the same bytes. */
  readonly heal: boolean;
  readonly rule: StopRule;
  readonly maxTokens: number;
  readonly timeBudgetMs: number;
  readonly speculation: SpeculationMode;
  /** What an earlier suggestion put here; empty without one. */
  readonly draft: string;
  /** Whether to return the second-best tokens, for branches. */
  readonly runnersUp: boolean;
  /** Tokens that the answer must begin with; empty for a free answer. */
  readonly branch: Branch;
}

export interface GeneratedMiddle {
  readonly text: string;
  /** False if a limit cut the text off, rather than the model or a stop rule. */
  readonly finished: boolean;
  /** How sure the model was of each piece of the whole answer; null where the engine does not tell. */
  readonly pieces: readonly ScoredPiece[] | null;
  readonly result: GenerationResult;
}

/** Follows a generation while it runs. */
export interface MiddleObserver {
  /** Called after each piece with all text generated so far, and how much of it may be shown. */
  readonly onText: (text: string, showable: number) => void;
  /**
   * Where an engine resumes: called before each generation. Once the signal is aborted, it stops for a moment to tell how
   * sure the model was so far, calls `onPause`, and goes on. Null where nobody wants to know.
   */
  readonly nextPause: () => AbortSignal | null;
  readonly onPause: (pieces: readonly ScoredPiece[] | null) => void;
}

export const NO_OBSERVER: MiddleObserver = { onText: () => undefined, nextPause: () => null, onPause: () => undefined };

/**
 * Generates the middle and stops at the stop rule.
 *
 * @throws EngineError
 */
export async function generateMiddle(
  client: Pick<EngineClient, 'generate'>,
  question: MiddleQuestion,
  { onText, nextPause, onPause }: MiddleObserver,
  signal: AbortSignal,
): Promise<GeneratedMiddle> {
  const startedAt = performance.now();
  const { timeBudgetMs } = question;
  let asked = question;
  let before: GenerationMetrics | null = null;
  let longest = 0;
  // The engine says again what it has said; nobody must see the text shrink.
  const grown = (text: string, showable: number): void => {
    if (text.length >= longest) onText(text, showable);
  };
  for (;;) {
    const pause = nextPause();
    const part = await generateWhole(client, asked, grown, pause === null ? signal : AbortSignal.any([signal, pause]));
    const metrics: GenerationMetrics = before === null ? part.result.metrics : joined(before, part.result.metrics);
    const isPaused = pause?.aborted === true && !signal.aborted && part.result.stopReason === 'aborted';
    if (!isPaused || part.finished) return { ...part, result: { ...part.result, metrics } };
    onPause(part.pieces);
    before = metrics;
    longest = part.text.length;
    const leftMs = Math.max(1, Math.round(timeBudgetMs - (performance.now() - startedAt)));
    asked = { ...question, timeBudgetMs: timeBudgetMs === 0 ? 0 : leftMs };
  }
}

/** What a generation took that was stopped and said again: its first part read the prompt. */
function joined(first: GenerationMetrics, rest: GenerationMetrics): GenerationMetrics {
  return {
    promptTokens: first.promptTokens,
    reusedTokens: first.reusedTokens,
    generatedTokens: rest.generatedTokens,
    prefillMs: first.prefillMs + rest.prefillMs,
    decodeMs: first.decodeMs + rest.decodeMs,
    local: first.local && rest.local && joinedHere(first.local, rest.local),
  };
}

function joinedHere(first: LocalMetrics, rest: LocalMetrics): LocalMetrics {
  return {
    evaluatedTokens: first.evaluatedTokens + rest.evaluatedTokens,
    // The rest repeats what the first part has said.
    replayedTokens: first.replayedTokens,
    rounds: first.rounds + rest.rounds,
    shiftedTokens: first.shiftedTokens + rest.shiftedTokens,
    draftedTokens: first.draftedTokens + rest.draftedTokens,
    acceptedDraftTokens: first.acceptedDraftTokens + rest.acceptedDraftTokens,
    draftFailure: first.draftFailure ?? rest.draftFailure,
    stepMs: rest.stepMs,
    queuedMs: first.queuedMs + rest.queuedMs,
    preemptions: first.preemptions + rest.preemptions,
    processorMs: first.processorMs + rest.processorMs,
  };
}

async function generateWhole(
  client: Pick<EngineClient, 'generate'>,
  { prompt, template, heal, rule, maxTokens, timeBudgetMs, speculation, draft, runnersUp, branch }: MiddleQuestion,
  onText: (text: string, showable: number) => void,
  signal: AbortSignal,
): Promise<GeneratedMiddle> {
  const stopEarly = new AbortController();
  const tracker = new StopTracker(rule);
  const take = (piece: string): void => {
    if (tracker.push(piece) !== null) stopEarly.abort();
    else onText(tracker.text, tracker.showable);
  };
  const result = await client.generate(
    {
      prompt: prompt.parts,
      sectionBoundaries: prompt.sectionBoundaries,
      heal,
      maxTokens,
      stop: rule.extent === 'line' ? ['\n'] : [],
      stopTokens: template.stopTokens,
      endsWithFile: true,
      timeBudgetMs,
      speculation,
      ...(draft === '' ? {} : { draft }),
      ...(runnersUp ? { runnersUp } : {}),
      ...(branch.length === 0 ? {} : { begin: branch }),
    },
    take,
    AbortSignal.any([signal, stopEarly.signal]),
  );
  const ended = result.stopReason === 'endOfText' || result.stopReason === 'stopText';
  const stop = ended ? tracker.end() : tracker.stop;
  return {
    text: result.text.slice(0, stop ?? undefined),
    finished: ended || stop !== null,
    pieces: piecesOf(result.scores),
    result,
  };
}
