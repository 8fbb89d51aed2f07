import type { GenerationResult } from '../../engine/port/generation.js';
import type { RewriteAnswer } from '../formats/rewrite-format.js';
import { lineStartAt } from '../text/lines.js';
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
  | { readonly kind: 'unfinished' }
  /** Whatever follows the first departure, it would not be shown. */
  | { readonly kind: 'refused' };

/** What of a region is worth a look. */
export interface DepartureGate {
  /**
   * Whether what follows the first departure can be worth showing.
   *
   * @param margin how sure the model is of it, in nats
   * @param said how much of the region stays as it is before it, in UTF-16 units; null where that is not known
   */
  canPass(margin: number, said: number | null): boolean;
  /** Where in the region a change may begin that is worth showing, in UTF-16 units; null for anywhere. */
  readonly within: { readonly start: number; readonly end: number } | null;
}

/** After so many departures the region is another one. */
const MOST_ROUNDS = 5;
/** Tokens that an answer may have besides twice those of the region. */
const MOST_MORE_TOKENS = 48;

/**
 * Asks for the region's next state. The present state is offered, so a region that needs no edit costs a prefill and no
 * decoding. An answer that departs is decoded until it meets the old text again; then the rest is offered.
 *
 * Only lines are asked for in which a change may begin that the gate lets pass. Those before them are part of the prompt:
 * they cost less there, and a departure from them would end the answer before it comes to such a change. Those after them
 * stay as they are.
 *
 * @param gate null takes every departure
 * @throws EngineError
 */
export async function rewriteRegion(
  engine: RewriteEngine,
  ready: ReadyPrompt,
  gate: DepartureGate | null,
  timeBudgetMs: number,
  signal: AbortSignal,
): Promise<RewriteOutcome> {
  const { prompt } = ready;
  const offersOld = prompt.silent === prompt.old;
  const given = offersOld ? linesBefore(prompt.old, gate?.within?.start ?? 0) : '';
  const asked = withBeginning(ready, given);
  const oldTokens = await engine.tokenize(prompt.old);
  const regionTokens = oldTokens.length;
  const deadline = performance.now() + timeBudgetMs;
  let maxTokens = 2 * regionTokens + MOST_MORE_TOKENS;
  let accepted = '';
  let offered: OfferedText = { text: prompt.silent.slice(given.length), at: offersOld ? given.length : null };
  let first: Omit<Rewrite, 'answer' | 'decoded' | 'rounds'> | null = null;
  const decoded: number[] = [];
  for (let round = 1; round <= MOST_ROUNDS; round++) {
    const proposal = offered.text + prompt.ending;
    const offeredTokens = proposal === prompt.old ? oldTokens : await engine.tokenize(proposal);
    if (signal.aborted) return { kind: 'cancelled' };
    const question: Question = { ready: asked, accepted, offered, offeredTokens, proposal, maxTokens, deadline };
    const answer = await answerTo(engine, question, gate, first === null, signal);
    if (signal.aborted) return { kind: 'cancelled' };
    if (answer.kind !== 'answer') return answer;
    const { result, meeting, departure } = answer;
    const verified = departure?.verified ?? Math.min(result.tokens.length, offeredTokens.length);
    decoded.push(...answer.logProbabilities.slice(verified));
    maxTokens -= result.tokens.length;
    first ??= {
      departure,
      regionTokens,
      promptTokens: result.metrics.promptTokens ?? 0,
      reusedTokens: answer.reusedTokens,
    };
    if (result.stopReason === 'endOfText' || result.stopReason === 'stopText') {
      const read = prompt.read(given + accepted + result.text);
      return { kind: 'rewrite', rewrite: { ...first, answer: read, decoded, rounds: round } };
    }
    const oldOffset = answer.isPart && !meeting.departed ? offered.at : meeting.oldOffset;
    if (oldOffset === null) return { kind: 'unfinished' };
    if (meeting.departed) accepted += meeting.accepted;
    offered = { text: prompt.old.slice(oldOffset), at: oldOffset };
    if (!meeting.departed || (gate?.within != null && oldOffset > gate.within.end)) {
      const read = prompt.read(given + accepted + offered.text + prompt.ending);
      return { kind: 'rewrite', rewrite: { ...first, answer: read, decoded, rounds: round } };
    }
  }
  return { kind: 'unfinished' };
}

interface OfferedText {
  readonly text: string;
  /** Where it begins in the old text; null where it is another text. */
  readonly at: number | null;
}

interface Question {
  readonly ready: ReadyPrompt;
  /** What counts of the answer so far. */
  readonly accepted: string;
  readonly offered: OfferedText;
  readonly offeredTokens: readonly number[];
  readonly proposal: string;
  readonly maxTokens: number;
  readonly deadline: number;
}

interface Answer {
  readonly kind: 'answer';
  readonly result: GenerationResult;
  readonly logProbabilities: readonly number[];
  readonly departure: Departure | null;
  readonly meeting: MeetingOldText;
  readonly reusedTokens: number;
  /** Whether the answer was not asked to go on after a part of the offered text. */
  readonly isPart: boolean;
}

/** An answer that the gate is not sure of stops at its departure, and goes on only if its margin is enough. */
async function answerTo(
  engine: RewriteEngine,
  question: Question,
  gate: DepartureGate | null,
  isFirst: boolean,
  signal: AbortSignal,
): Promise<Answer | { readonly kind: 'unfinished' | 'refused' }> {
  const { offered } = question;
  const part = gate === null ? null : await partFor(engine, question, gate);
  if (signal.aborted) return { kind: 'unfinished' };
  const stops = (meeting: MeetingOldText) =>
    isFirst && gate !== null && meeting.departed && !gate.canPass(0, saidIn(meeting, offered));
  const start = await say(engine, part ?? question, [], stops, signal);
  if (start === null) return { kind: 'unfinished' };
  const { result, meeting } = start;
  const departure = departureOf(result, (part ?? question).offeredTokens);
  const whole: Answer = {
    kind: 'answer',
    ...start,
    logProbabilities: result.logProbabilities,
    departure,
    reusedTokens: result.metrics.reusedTokens ?? 0,
    isPart: part !== null && result.stopReason === 'maxTokens',
  };
  // In a later round, an answer that ends before it meets the old text is one of an engine that closed.
  const isStopped =
    ((isFirst && result.stopReason === 'aborted') || (whole.isPart && meeting.departed)) && !meeting.met;
  if (gate === null || signal.aborted || !isStopped) return whole;
  if (isFirst && (departure === null || !gate.canPass(departure.margin, saidIn(meeting, offered))))
    return { kind: 'refused' };
  const rest = await say(engine, question, result.tokens, () => false, signal);
  if (rest === null) return { kind: 'unfinished' };
  const behind = rest.result.logProbabilities.slice(result.tokens.length);
  return { ...whole, ...rest, logProbabilities: [...result.logProbabilities, ...behind], isPart: false };
}

/** The lines up to the last one that the gate wants to know of; null where those are all. */
async function partFor(
  engine: Pick<RewriteEngine, 'tokenize'>,
  question: Question,
  gate: DepartureGate,
): Promise<Question | null> {
  const { offered, proposal } = question;
  if (gate.within === null || offered.at === null) return null;
  const part = linesTo(proposal, gate.within.end - offered.at);
  if (part.length === proposal.length) return null;
  const offeredTokens = await engine.tokenize(part);
  return { ...question, proposal: part, offeredTokens, maxTokens: offeredTokens.length };
}

/** Up to an offset's line, or up to the line before its blank ones, since tokens may take in several line ends. */
function linesBefore(text: string, offset: number): string {
  const start = lineStartAt(text, offset);
  const isBlank = linesTo(text.slice(start), 0).trim() === '';
  return text.slice(0, isBlank ? lineStartAt(text, text.slice(0, start).trimEnd().length) : start);
}

/** Up to the end of an offset's line, and of blank lines after it, since tokens may take in several line ends. */
function linesTo(text: string, offset: number): string {
  let end = text.indexOf('\n', offset) + 1;
  if (end === 0) return text;
  for (let at = end; at < text.length && /\s/.test(text[at] ?? ''); at++) if (text[at] === '\n') end = at + 1;
  return text.slice(0, end);
}

function saidIn(meeting: MeetingOldText, { at }: OfferedText): number | null {
  return at === null ? null : at + meeting.same;
}

/** Null where no time or room is left. @param begin tokens of the answer that are known */
async function say(
  engine: RewriteEngine,
  { ready, accepted, offered, proposal, maxTokens, deadline }: Question,
  begin: readonly number[],
  stops: (meeting: MeetingOldText) => boolean,
  signal: AbortSignal,
): Promise<{ readonly result: GenerationResult; readonly meeting: MeetingOldText } | null> {
  const leftMs = Math.ceil(deadline - performance.now());
  if (leftMs <= 0 || maxTokens <= 0) return null;
  const meeting = new MeetingOldText(ready.prompt.old, proposal, offered.at);
  const enough = new AbortController();
  const result = await generateAfterProposal(
    engine,
    { ...requestAfter(accepted, ready), ...(begin.length === 0 ? {} : { begin }), maxTokens, timeBudgetMs: leftMs },
    proposal,
    (piece) => {
      meeting.push(piece);
      if (meeting.met || stops(meeting)) enough.abort();
    },
    AbortSignal.any([signal, enough.signal]),
  );
  return { result, meeting };
}

/** A prompt that ends with the beginning of its answer. Its last section ends there: nothing before it is asked for. */
function withBeginning(ready: ReadyPrompt, beginning: string): ReadyPrompt {
  if (beginning === '') return ready;
  const parts = [...ready.parts, beginning];
  return { ...ready, parts, sectionBoundaries: [...ready.sectionBoundaries.slice(0, -1), parts.length] };
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
