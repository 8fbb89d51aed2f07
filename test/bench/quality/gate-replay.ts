import {
  type Beginning,
  beginningsOf,
  chancesAlong,
  type Gate,
  passGate,
} from '../../../server/src/completion/confidence/gate.js';
import type { GateModel } from '../../../server/src/completion/confidence/gate-model.js';
import type { TextPlace } from '../../../server/src/completion/confidence/sensible-ends.js';
import { alignPieces, piecesOf } from '../../../server/src/completion/request/scored-text.js';
import { agreement } from '../../support/agreement.js';
import { round } from '../measure/statistics.js';
import { firstLineRight, isWhole, SLOW_KEY_MS, WORTH_ACCEPTING } from '../typing/typing-replay.js';
import type { GateExample } from './gate-fit.js';
import type { GateSample, SampledPlace } from './gate-samples.js';

/** The gate at a place; null for the threshold that there was before: whole texts of a least mean log-probability. */
export type GateAt = ((place: TextPlace, sinceLastKey: number) => Gate) | null;

/** Milliseconds between keys: inside and outside the gate's rule for fast keys. */
export const PACES = { fast: 0, slow: SLOW_KEY_MS } as const;

/** Each sensible beginning of each answer, and whether it was right. */
export function examplesOf(places: readonly SampledPlace[]): readonly GateExample[] {
  return places.flatMap(({ place, samples }) =>
    samples.flatMap((sample) => {
      const { text, pieces, at } = scored(place, sample);
      if (pieces === null) return [];
      const truth = place.passage.slice(sample.at) + place.after;
      const beginnings = beginningsOf(text, pieces, at);
      const weight = 1 / Math.sqrt(beginnings.length);
      return beginnings.map(({ end, features }) => ({ features, right: isWhole(text.slice(0, end), truth), weight }));
    }),
  );
}

function scored(place: SampledPlace['place'], { at, text, raw, scores, scope }: GateSample) {
  const typed = place.before + place.passage.slice(0, at);
  const pieces = text === '' ? null : piecesOf(scores);
  const linePrefix = typed.slice(typed.lastIndexOf('\n') + 1);
  const where: TextPlace = { languageId: place.languageId, scope, linePrefix };
  return { text, pieces: pieces && alignPieces(raw, text, pieces), at: where };
}

const FORMER_THRESHOLD = -1.9;
const FORMER_LEAST = -4;

function meanOf({ scores }: GateSample): number {
  const behindHealed = scores.slice(1);
  const sum = behindHealed.reduce((total, each) => total + Math.max(FORMER_LEAST, each.logProbability), 0);
  return behindHealed.length === 0 ? 0 : sum / behindHealed.length;
}

/** A user who types the passages at one pace, and accepts what is right as soon as it is worth it. */
export function replayed(
  places: readonly SampledPlace[],
  model: GateModel,
  gateAt: GateAt,
  sinceLastKey: number = PACES.fast,
) {
  const total = { keys: 0, shown: 0, suggestions: 0, right: 0, accepted: 0, typed: 0 };
  for (const { place, samples } of places) {
    let standing = '';
    let current: { right: boolean } | null = null;
    const suggestions: { right: boolean }[] = [];
    let afterAccept = false;
    for (let index = 0; index < samples.length; ) {
      const sample = samples[index]!;
      const rest = place.passage.slice(sample.at);
      let shown = shownAt(place, sample, model, gateAt, afterAccept ? Number.POSITIVE_INFINITY : sinceLastKey);
      if (standing.trim() !== '' && !shown.startsWith(standing)) shown = standing;
      total.keys += 1;
      afterAccept = false;
      if (shown.trim() === '') current = null;
      else {
        total.shown += 1;
        const right = firstLineRight(shown, rest);
        if (current === null || standing.trim() === '') {
          current = { right };
          suggestions.push(current);
        } else current.right &&= right;
      }
      const taken = agreement(shown, rest);
      let next = index + 1;
      if (taken.length >= WORTH_ACCEPTING) {
        total.accepted += taken.length;
        next = samples.findIndex((each) => each.at >= sample.at + taken.length);
        standing = '';
        current = null;
        afterAccept = true;
      } else {
        const typed = place.passage.slice(sample.at, samples[next]?.at);
        total.typed += typed.length;
        standing = shown.startsWith(typed) ? shown.slice(typed.length) : '';
      }
      index = next < 0 ? samples.length : next;
    }
    total.suggestions += suggestions.length;
    total.right += suggestions.filter(({ right }) => right).length;
  }
  return {
    shown_share: round(total.shown / Math.max(1, total.keys), 3),
    suggestion_precision: round(total.right / Math.max(1, total.suggestions), 3),
    accepted_characters: round(total.accepted / Math.max(1, total.accepted + total.typed), 3),
  };
}

function shownAt(
  place: SampledPlace['place'],
  sample: GateSample,
  model: GateModel,
  gateAt: GateAt,
  sinceLastKey: number,
): string {
  const { text, pieces, at } = scored(place, sample);
  if (pieces === null) return '';
  if (gateAt === null) return meanOf(sample) < FORMER_THRESHOLD ? '' : text;
  const beginnings: readonly Beginning[] = chancesAlong(text, pieces, at, model, 0);
  return text.slice(0, passGate(text, beginnings, gateAt(at, sinceLastKey)).end);
}
