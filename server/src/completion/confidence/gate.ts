import type { Eagerness } from '../../../protocol/index.js';
import type { Scope } from '../../syntax/syntax.js';
import type { ScoredPiece } from '../request/scored-text.js';
import { GATE_FEATURES, type GateFeature, type GateModel } from './gate-model.js';
import { sensibleEnds } from './sensible-ends.js';

/** Where a suggestion stands. */
export interface GatePlace {
  readonly scope: Scope;
  /** The cursor's line before the cursor. */
  readonly linePrefix: string;
}

/** A beginning of a suggestion, and the chance that all of it is right. */
export interface Beginning {
  /** In UTF-16 units of the text; 0 shows nothing. */
  readonly end: number;
  readonly chance: number;
}

/** The least chances that are worth the distraction. A point of the curve that `bench quality --part gate` prints. */
export interface Gate {
  /** Of a text that is typed faster than it is read. */
  readonly short: number;
  /** Of the first sensible beginning that is longer. */
  readonly first: number;
  /** To which a suggestion goes on. */
  readonly rest: number;
}

export const GATES: Readonly<Record<Eagerness, Gate>> = {
  calm: { short: 0.95, first: 0.4, rest: 0.5 },
  balanced: { short: 0.95, first: 0.02, rest: 0.3 },
  eager: { short: 0.8, first: 0.01, rest: 0.2 },
};

/** Inside a word that is typed fast the next key would replace a doubtful suggestion before it is read. */
const ONE_CALMER: Readonly<Record<Eagerness, Eagerness>> = { calm: 'calm', balanced: 'calm', eager: 'balanced' };

/** Between the keys of somebody who does not stop to read. */
const FAST_MS = 250;

/** @param sinceLastKey milliseconds */
export function gateFor(eagerness: Eagerness, { linePrefix }: GatePlace, sinceLastKey: number): Gate {
  const typesWord = sinceLastKey < FAST_MS && IN_WORD.test(linePrefix);
  return GATES[typesWord ? ONE_CALMER[eagerness] : eagerness];
}

const IN_WORD = /[\p{L}\p{N}_$]$/u;

/** Characters without the blanks around them. */
const SHORT_CHARACTERS = 6;

/** No odds are better or worse than these: a product of probabilities says less than it seems to. */
const MOST_LOG_ODDS = 8;

/** The chance of each sensible beginning of a text, shortest first. It never rises with the length. */
export function chancesAlong(
  text: string,
  pieces: readonly ScoredPiece[],
  place: GatePlace,
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
  place: GatePlace,
): readonly { readonly end: number; readonly features: Readonly<Record<GateFeature, number>> }[] {
  let [count, sum, least, lines, at] = [0, 0, 0, 0, 0];
  return sensibleEnds(text).map((end) => {
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

/**
 * How far a suggestion goes: as far as it is sure. Where it is not, its first words are worth a look if they save typing.
 * With `end` 0, `chance` is that of its first beginning.
 */
export function passGate(text: string, beginnings: readonly Beginning[], { short, first, rest }: Gate): Beginning {
  const isShort = ({ end }: Beginning) => text.slice(0, end).trim().length < SHORT_CHARACTERS;
  const sure = beginnings.findLast(({ chance }) => chance >= rest);
  if (sure !== undefined && !isShort(sure)) return sure;
  const words = beginnings.find((each) => !isShort(each));
  if (words !== undefined && words.chance >= first) return words;
  const few = beginnings.findLast((each) => isShort(each) && each.chance >= short);
  return few ?? { end: 0, chance: beginnings[0]?.chance ?? 0 };
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
  { scope, linePrefix }: GatePlace,
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
