import type { RewriteAnswer } from '../formats/rewrite-format.js';
import { type Departure, departureOf } from './departure.js';
import { MeetingOldText } from './meeting-old-text.js';
import { generateAfterProposal, type RewriteEngine } from './proposal.js';
import type { ReadyPrompt } from './ready-prompt.js';

/** What a model made of a region. */
export interface Rewrite {
  readonly answer: RewriteAnswer;
  /** The first departure from the old text; null without one that says how sure the model was. */
  readonly departure: Departure | null;
  /** Natural logarithms of the probabilities of the tokens that were decoded. */
  readonly decoded: readonly number[];
  readonly rounds: number;
  /** Tokens of the old region. */
  readonly regionTokens: number;
  readonly promptTokens: number;
  readonly reusedTokens: number;
}

export type RewriteOutcome =
  | { readonly kind: 'rewrite'; readonly rewrite: Rewrite }
  | { readonly kind: 'cancelled' }
  /** A limit of length, time or context ended it. */
  | { readonly kind: 'unfinished' };

/** After so many departures the region is another one. */
const MOST_ROUNDS = 5;
/** Tokens that an answer may have besides twice those of the region. */
const MOST_MORE_TOKENS = 48;

/**
 * Asks for the region's next state. The present state is offered, so a region that needs no edit costs a prefill and no
 * decoding. An answer that departs is decoded until it meets the old text again; then the rest is offered.
 *
 * @throws EngineError
 */
export async function rewriteRegion(
  engine: RewriteEngine,
  ready: ReadyPrompt,
  timeBudgetMs: number,
  signal: AbortSignal,
): Promise<RewriteOutcome> {
  const { prompt } = ready;
  const regionTokens = (await engine.tokenize(prompt.old)).length;
  const deadline = performance.now() + timeBudgetMs;
  let maxTokens = 2 * regionTokens + MOST_MORE_TOKENS;
  let accepted = '';
  let offered: { readonly text: string; readonly at: number | null } = {
    text: prompt.silent,
    at: prompt.silent === prompt.old ? 0 : null,
  };
  let first: Rewrite | null = null;
  const decoded: number[] = [];
  for (let round = 1; round <= MOST_ROUNDS; round++) {
    const proposal = offered.text + prompt.ending;
    const offeredTokens = proposal === '' ? [] : await engine.tokenize(proposal);
    const leftMs = Math.ceil(deadline - performance.now());
    if (signal.aborted) return { kind: 'cancelled' };
    if (leftMs <= 0 || maxTokens <= 0) return { kind: 'unfinished' };
    const meeting = new MeetingOldText(prompt.old, proposal, offered.at);
    const meets = new AbortController();
    const result = await generateAfterProposal(
      engine,
      { ...requestAfter(accepted, ready), maxTokens, timeBudgetMs: leftMs },
      proposal,
      (piece) => {
        meeting.push(piece);
        if (meeting.met) meets.abort();
      },
      AbortSignal.any([signal, meets.signal]),
    );
    if (signal.aborted) return { kind: 'cancelled' };
    const departure = departureOf(result, offeredTokens);
    const verified = departure?.verified ?? Math.min(result.tokens.length, offeredTokens.length);
    decoded.push(...result.logProbabilities.slice(verified));
    maxTokens -= result.tokens.length;
    first ??= {
      answer: { kind: 'unchanged' },
      departure,
      decoded,
      rounds: round,
      regionTokens,
      promptTokens: result.metrics.promptTokens ?? 0,
      reusedTokens: result.metrics.reusedTokens ?? 0,
    };
    if (result.stopReason === 'endOfText' || result.stopReason === 'stopText') {
      const answer = prompt.read(accepted + result.text);
      return { kind: 'rewrite', rewrite: { ...first, answer, decoded, rounds: round } };
    }
    const { oldOffset } = meeting;
    if (oldOffset === null) return { kind: 'unfinished' };
    accepted += meeting.accepted;
    offered = { text: prompt.old.slice(oldOffset), at: oldOffset };
  }
  return { kind: 'unfinished' };
}

/** @param accepted what counts of the answer so far */
function requestAfter(accepted: string, { prompt, tokens, parts, sectionBoundaries }: ReadyPrompt) {
  const spelledTokens = prompt.spelled.flatMap((spelling) => tokens.get(spelling) ?? []);
  return {
    prompt: accepted === '' ? parts : [...parts, accepted],
    sectionBoundaries: accepted === '' ? sectionBoundaries : [...sectionBoundaries, parts.length + 1],
    stop: prompt.stops,
    stopTokens: [...tokens.values()].filter((token) => !spelledTokens.includes(token)),
    // Control tokens that answers contain must not end them.
    endsWithFile: spelledTokens.length === 0,
    spelledTokens,
    priority: 'background',
  } as const;
}
