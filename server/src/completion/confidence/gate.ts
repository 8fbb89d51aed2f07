import type { Eagerness } from '../../../protocol/index.js';
import type { ScoredPiece } from '../request/scored-text.js';
import { GATE_FEATURES, type GateFeature, type GateModel } from './gate-model.js';
import { sensibleEnds, type TextPlace } from './sensible-ends.js';

/** A beginning of a suggestion, and the chance that all of it is right. */
export interface Beginning {
  /** In UTF-16 units of the text; 0 shows nothing. */
  readonly end: number;
  readonly chance: number;
}

/** What is worth the distraction. A point of the curve that `bench quality --part gate` prints. */
export interface Gate {
  /** The fewest characters to expect of it: the chance of its first words times their length. */
  readonly worth: number;
  /** The least chance to which a suggestion goes on after its first words. */
  readonly sure: number;
  /** The least chance of a text that is typed faster than it is read. */
  readonly short: number;
}

/** Chosen on the fitted repositories alone, with slow keys: in replays of answers, and balanced through the server too. */
export const GATES: Readonly<Record<Eagerness, Gate>> = {
  calm: { worth: 3, sure: 0.5, short: 0.98 },
  balanced: { worth: 1.3, sure: 0.4, short: 0.98 },
  eager: { worth: 0.4, sure: 0.3, short: 0.95 },
};

/** Inside a word that is typed fast, the next key would replace a doubtful suggestion before it is read. */
const WORTH_INSIDE_FAST_WORD = 1.6;

/** The time between two keys of a user who does not stop to read. */
export const FAST_MS = 250;

/** @param sinceLastKey milliseconds */
export function gateFor(eagerness: Eagerness, { linePrefix }: TextPlace, sinceLastKey: number): Gate {
  const gate = GATES[eagerness];
  const typesWord = sinceLastKey < FAST_MS && IN_WORD.test(linePrefix);
  return typesWord ? { ...gate, worth: gate.worth * WORTH_INSIDE_FAST_WORD } : gate;
}

const IN_WORD = /[\p{L}\p{N}_$]$/u;

/** Characters without the blanks around them. Fewer are not worth accepting. */
const SHORT_CHARACTERS = 6;

/** No odds are better or worse than these: a product of probabilities says less than it seems to. */
const MOST_LOG_ODDS = 8;

/** The chance of each sensible beginning of a text, shortest first. It never rises with the length. */
export function chancesAlong(
  text: string,
  pieces: readonly ScoredPiece[],
  place: TextPlace,
  model: GateModel,
  shift: number,
): readonly Beginning[] {
  let lowest = 1;
  return beginningsOf(text, pieces, place).map(({ end, features }) => {
    lowest = Math.min(lowest, chanceOf(features, model, shift));
    return { end, chance: lowest };
  });
}

/** The sensible beginnings of a text with what the model looks at. A piece that begins before an end counts whole. */
export function beginningsOf(
  text: string,
  pieces: readonly ScoredPiece[],
  place: TextPlace,
): readonly { readonly end: number; readonly features: Readonly<Record<GateFeature, number>> }[] {
  let [count, sum, least, lines, at] = [0, 0, 0, 0, 0];
  return sensibleEnds(text, place).map((end) => {
    for (; at < end; at++) if (text[at] === '\n') lines++;
    for (; count < pieces.length && (count === 0 || (pieces[count - 1]?.end ?? 0) < end); count++) {
      const { logProbability } = pieces[count] as ScoredPiece;
      sum += logProbability;
      least = Math.min(least, logProbability);
    }
    const lineEnd = end === text.length || text[end] === '\n';
    return { end, features: featuresOf({ count, sum, least, length: end, lines, lineEnd }, place) };
  });
}

/** What of a suggestion is shown; nothing where `end` is 0, and then `chance` is that of its first words. */
export interface Passed extends Beginning {
  /** All of it is too short to be worth a look. */
  readonly tooShort: boolean;
}

/**
 * How far a suggestion goes: as far as it is sure. Where it is not, its first words are shown if they are worth it: if
 * their chance times their length is as many characters as the gate demands, and more than a sure short text saves.
 */
export function passGate(text: string, beginnings: readonly Beginning[], { worth, sure, short }: Gate): Passed {
  const lengthOf = ({ end }: Beginning) => text.slice(0, end).trim().length;
  const isShort = (each: Beginning) => lengthOf(each) < SHORT_CHARACTERS;
  const expected = (each: Beginning | undefined) => (each === undefined ? 0 : each.chance * lengthOf(each));

  const whole = beginnings.findLast((each) => each.chance >= sure);
  if (whole !== undefined && !isShort(whole)) return { ...whole, tooShort: false };
  const words = beginnings.find((each) => !isShort(each));
  const few = beginnings.findLast((each) => isShort(each) && each.chance >= short);
  const best = expected(words) >= Math.max(worth, expected(few)) ? words : few;
  if (best !== undefined) return { ...best, tooShort: false };
  return { end: 0, chance: (words ?? beginnings.at(-1))?.chance ?? 0, tooShort: words === undefined };
}

interface Counted {
  readonly count: number;
  readonly sum: number;
  readonly least: number;
  readonly length: number;
  readonly lines: number;
  readonly lineEnd: boolean;
}

function featuresOf(
  { count, sum, least, length, lines, lineEnd }: Counted,
  { scope, linePrefix }: TextPlace,
): Readonly<Record<GateFeature, number>> {
  // log(p / (1 - p)) of p = exp(sum)
  const logOdds = sum - Math.log(Math.max(1e-9, -Math.expm1(sum)));
  return {
    logOdds: Math.max(-MOST_LOG_ODDS, Math.min(MOST_LOG_ODDS, logOdds)),
    least: Math.max(-MOST_LOG_ODDS, least),
    pieces: Math.log1p(count),
    length: Math.log1p(length),
    lines,
    lineEnd: lineEnd ? 1 : 0,
    inComment: scope === 'comment' ? 1 : 0,
    inString: scope === 'string' ? 1 : 0,
    inWord: IN_WORD.test(linePrefix) ? 1 : 0,
    atLineStart: linePrefix.trim() === '' ? 1 : 0,
  };
}

/** @param shift log-odds by which this user's acceptances move the model */
export function chanceOf(
  features: Readonly<Record<GateFeature, number>>,
  { bias, weights }: GateModel,
  shift: number,
): number {
  const sum = GATE_FEATURES.reduce((total, name) => total + weights[name] * features[name], bias + shift);
  return 1 / (1 + Math.exp(-sum));
}
