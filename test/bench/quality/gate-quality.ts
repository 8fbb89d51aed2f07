import { EAGERNESS } from '../../../server/protocol/index.js';
import { GATES, type Gate, gateFor } from '../../../server/src/completion/confidence/gate.js';
import { GATE_MODEL } from '../../../server/src/completion/confidence/gate-model.js';
import { type BenchmarkFields, type BenchmarkOptions, prefixed } from '../measure/benchmark.js';
import { round } from '../measure/statistics.js';
import { heldOutMissing } from '../samples/held-out-files.js';
import {
  FITTED_REPOSITORIES,
  FITTED_SEED,
  heldOutPlaces,
  REPORTED_REPOSITORIES,
  REPORTED_SEED,
} from '../samples/held-out-places.js';
import { areaUnderCurve, calibrationError, fitGate } from './gate-fit.js';
import { examplesOf, PACES, replayed } from './gate-replay.js';
import { gateSamples, type SampledPlace } from './gate-samples.js';

const FITTED_PLACES = 64;
const REPORTED_PLACES = 48;
/** About a minute. */
const CHECKED_PLACES = 8;

/**
 * Asks the engine at every key of held-out passages, fits the gate's model on two repositories, and replays the other two
 * with the answers: the curve that the gate can choose from. Samples stay in .cache/gate.
 */
export async function runGate(options: BenchmarkOptions): Promise<BenchmarkFields> {
  const missing = heldOutMissing();
  if (missing !== null) return { skipped: missing };
  const fitted = await gateSamples('fitted', heldOutPlaces(FITTED_REPOSITORIES, FITTED_PLACES, FITTED_SEED), options);
  const reported = await gateSamples(
    'reported',
    heldOutPlaces(REPORTED_REPOSITORIES, REPORTED_PLACES, REPORTED_SEED),
    options,
  );
  const fresh = fitGate(examplesOf(fitted));
  const examples = examplesOf(reported);
  return {
    fitted_places: fitted.length,
    gate_auc_fitted_now: round(areaUnderCurve(examples, fresh), 3),
    calibration_error_fitted_now: round(calibrationError(examples, fresh), 3),
    fitted_now: { bias: fresh.bias, ...fresh.weights },
    ...reportOn(reported),
    ...curveOf(reported),
    // The gates are chosen by these.
    ...prefixed('fitted', { ...reportOn(fitted), ...curveOf(fitted) }),
  };
}

/** The gate as it ships, at fewer places: a step of the report. */
export async function checkGate(options: BenchmarkOptions): Promise<BenchmarkFields> {
  const missing = heldOutMissing();
  if (missing !== null) return { skipped: missing };
  return reportOn(
    await gateSamples('checked', heldOutPlaces(REPORTED_REPOSITORIES, CHECKED_PLACES, REPORTED_SEED), options),
  );
}

/** `former` is the threshold before this gate; it and `everything` do not depend on the pace. */
function reportOn(places: readonly SampledPlace[]): BenchmarkFields {
  const examples = examplesOf(places);
  const settings = EAGERNESS.flatMap((eagerness) =>
    Object.entries(PACES).map(([pace, sinceLastKey]) => [
      `${eagerness}_${pace}`,
      replayed(places, GATE_MODEL, (place, since) => gateFor(eagerness, place, since), sinceLastKey),
    ]),
  );
  return {
    places: places.length,
    examples: examples.length,
    gate_auc: round(areaUnderCurve(examples, GATE_MODEL), 3),
    calibration_error: round(calibrationError(examples, GATE_MODEL), 3),
    former: replayed(places, GATE_MODEL, null),
    everything: replayed(places, GATE_MODEL, () => ({ worth: 0, sure: 0, short: 0 })),
    ...Object.fromEntries(settings),
  };
}

const CURVE: readonly Gate[] = [0.4, 0.7, 1, 1.3, 1.6, 2, 3].flatMap((worth) =>
  [0.3, 0.4, 0.5].map((sure) => ({ ...GATES.balanced, worth, sure })),
);

/** At every pace outside the rule for fast keys. */
function curveOf(places: readonly SampledPlace[]): BenchmarkFields {
  return Object.fromEntries(
    CURVE.map((gate) => [`worth_${gate.worth}_sure_${gate.sure}`, replayed(places, GATE_MODEL, () => gate)]),
  );
}
