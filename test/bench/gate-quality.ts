import { EAGERNESS } from '../../server/protocol/index.js';
import {
  type Beginning,
  beginningsOf,
  chancesAlong,
  GATES,
  type Gate,
  type GatePlace,
  gateFor,
  passGate,
} from '../../server/src/completion/confidence/gate.js';
import { type GateModel, gateModelFor } from '../../server/src/completion/confidence/gate-model.js';
import { alignPieces, piecesOf } from '../../server/src/completion/request/scored-text.js';
import { agreement } from '../support/agreement.js';
import type { BenchmarkFields, BenchmarkOptions } from './benchmark.js';
import { areaUnderCurve, calibrationError, fitGate, type GateExample } from './gate-fit.js';
import { type GateSample, gateSamples, type SampledPlace } from './gate-samples.js';
import { heldOutMissing } from './held-out-files.js';
import {
  FITTED_PLACES,
  FITTED_REPOSITORIES,
  FITTED_SEED,
  heldOutPlaces,
  REPORTED_PLACES,
  REPORTED_REPOSITORIES,
  REPORTED_SEED,
} from './held-out-places.js';
import { round } from './statistics.js';
import { firstLineRight, WORTH_ACCEPTING } from './typing-replay.js';

/**
 * Asks the engine at every key of held-out passages, fits the gate's model on two repositories, and replays the other two
 * with the answers: the curve that the gate can choose from. Samples stay in .cache/gate.
 */
export async function runGate(options: BenchmarkOptions): Promise<BenchmarkFields> {
  const missing = heldOutMissing();
  if (missing !== null) return { skipped: missing };
  const collect = (name: string, repositories: readonly string[], count: number, seed: number) =>
    gateSamples(name, heldOutPlaces(repositories, count, seed), options);
  const fitted = await collect('fitted', FITTED_REPOSITORIES, FITTED_PLACES, FITTED_SEED);
  const reported = await collect('reported', REPORTED_REPOSITORIES, REPORTED_PLACES, REPORTED_SEED);
  return reportGate(fitted, reported);
}

/** @param fitted and reported: places of different repositories */
export function reportGate(fitted: readonly SampledPlace[], reported: readonly SampledPlace[]): BenchmarkFields {
  const fresh = fitGate(examplesOf(fitted));
  const shipped = gateModelFor('');
  const examples = examplesOf(reported);
  const curve = Object.fromEntries(
    CURVE.map((gate) => [`first_${gate.first}_rest_${gate.rest}`, replayed(reported, shipped, () => gate)]),
  );
  const settings = Object.fromEntries(
    EAGERNESS.map((eagerness) => [
      eagerness,
      replayed(reported, shipped, (place, sinceLastKey) => gateFor(eagerness, place, sinceLastKey)),
    ]),
  );
  return {
    fitted_places: fitted.length,
    reported_places: reported.length,
    examples: examples.length,
    gate_auc: round(areaUnderCurve(examples, shipped), 3),
    calibration_error: round(calibrationError(examples, shipped), 3),
    gate_auc_fitted_now: round(areaUnderCurve(examples, fresh), 3),
    calibration_error_fitted_now: round(calibrationError(examples, fresh), 3),
    fitted_now: { bias: fresh.bias, ...fresh.weights },
    former: replayed(reported, shipped, null),
    everything: replayed(reported, shipped, () => ({ short: 0, first: 0, rest: 0 })),
    ...settings,
    ...curve,
  };
}

const CURVE: readonly Gate[] = [0.01, 0.03, 0.06, 0.1, 0.2, 0.35].flatMap((first) =>
  [0.1, 0.2, 0.4].map((rest) => ({ ...GATES.balanced, first, rest })),
);

function examplesOf(places: readonly SampledPlace[]): readonly GateExample[] {
  return places.flatMap(({ place, samples }) =>
    samples.flatMap((sample) => {
      const { text, pieces, at } = scored(place, sample);
      if (pieces === null) return [];
      const truth = place.passage.slice(sample.at) + place.after;
      const beginnings = beginningsOf(text, pieces, at);
      const weight = 1 / Math.sqrt(beginnings.length);
      return beginnings.map(({ end, features }) => ({ features, right: isRight(text.slice(0, end), truth), weight }));
    }),
  );
}

function scored(place: SampledPlace['place'], { at, text, raw, scores, scope }: GateSample) {
  const typed = place.before + place.passage.slice(0, at);
  const pieces = text === '' ? null : piecesOf(scores);
  const linePrefix = typed.slice(typed.lastIndexOf('\n') + 1);
  return { text, pieces: pieces && alignPieces(raw, text, pieces), at: { scope, linePrefix } satisfies GatePlace };
}

/** Half a word is not right. */
function isRight(shown: string, truth: string): boolean {
  return truth.startsWith(shown) && !(/\w$/.test(shown) && /^\w/.test(truth.slice(shown.length)));
}

/** What was shown before there was this gate: whole texts whose tokens have at least this mean log-probability. */
const FORMER_THRESHOLD = -1.9;
const FORMER_LEAST = -4;

function meanOf({ scores }: GateSample): number {
  const behindHealed = scores.slice(1);
  const sum = behindHealed.reduce((total, each) => total + Math.max(FORMER_LEAST, each.logProbability), 0);
  return behindHealed.length === 0 ? 0 : sum / behindHealed.length;
}

/** A user who types the passages fast, and accepts what is right as soon as it is worth it. */
export function replayed(
  places: readonly SampledPlace[],
  model: GateModel,
  gateAt: ((place: GatePlace, sinceLastKey: number) => Gate) | null,
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
      const { text, pieces, at } = scored(place, sample);
      let shown = '';
      if (pieces !== null && gateAt === null) shown = meanOf(sample) < FORMER_THRESHOLD ? '' : text;
      else if (pieces !== null && gateAt !== null) {
        const beginnings: readonly Beginning[] = chancesAlong(text, pieces, at, model, 0);
        shown = text.slice(0, passGate(text, beginnings, gateAt(at, afterAccept ? Number.POSITIVE_INFINITY : 0)).end);
      }
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
    shown_share: round(total.shown / total.keys, 3),
    suggestion_precision: round(total.right / Math.max(1, total.suggestions), 3),
    accepted_characters: round(total.accepted / (total.accepted + total.typed), 3),
  };
}
