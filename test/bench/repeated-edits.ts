import { replacementsIn } from '../../server/src/next-edit/repeat/replacement.js';
import { chanceAt, featuresOf } from '../../server/src/next-edit/repeat/site-odds.js';
import { type Site, sitesOf } from '../../server/src/next-edit/repeat/sites.js';
import { differingTokens, tokensOf } from '../../server/src/next-edit/repeat/token-difference.js';
import { fitLogistic } from './logistic-fit.js';
import { halves, type NextEditScenario } from './next-edit-scenarios.js';
import { round } from './statistics.js';

interface Sample {
  readonly scenario: NextEditScenario;
  readonly site: Site;
  readonly features: readonly number[];
  readonly chance: number;
  /** Whether the commit made this very replacement here. */
  readonly right: boolean;
}

/** Every place of the scenarios' regions at which a recent replacement could be repeated. */
function samplesOf(scenarios: readonly NextEditScenario[]): readonly Sample[] {
  return scenarios.flatMap((scenario) => {
    const due = hunksOf(scenario);
    return replacementsIn(scenario.edits)
      .flatMap((replacement) => sitesOf(replacement, scenario.current))
      .map((site) => ({
        scenario,
        site,
        features: featuresOf(site),
        chance: chanceAt(site),
        right: due.has(`${site.start} ${site.end} ${site.replacement.to.join('')}`),
      }));
  });
}

/** What the commit changes in the region, as `start end text`. */
export function hunksOf({ current, updated }: NextEditScenario): ReadonlySet<string> {
  const [before, after] = [tokensOf(current), tokensOf(updated)];
  const offsets = [0];
  for (const { length } of before) offsets.push((offsets.at(-1) ?? 0) + length);
  return new Set(
    differingTokens(before, after).map(
      ({ start, end, newStart, newEnd }) =>
        `${offsets[start]} ${offsets[end]} ${after.slice(newStart, newEnd).join('')}`,
    ),
  );
}

/**
 * The tier without a model. Weights are fitted on every other scenario and judged on the rest; `shipped` judges the
 * weights of site-odds.ts on all.
 */
export function measureRepeats(scenarios: readonly NextEditScenario[], least: number) {
  const { fitted, judged } = halves(scenarios);
  const weights = fitLogistic(samplesOf(fitted).map(({ features, right }) => ({ features, right })));
  const all = fitLogistic(samplesOf(scenarios).map(({ features, right }) => ({ features, right })));
  const chance = (features: readonly number[]) =>
    1 / (1 + Math.exp(-features.reduce((sum, value, index) => sum + value * (weights[index] ?? 0), 0)));
  return {
    fitted_on_half: summarize(
      judged,
      samplesOf(judged).filter(({ features }) => chance(features) >= least),
    ),
    shipped: summarize(
      scenarios,
      samplesOf(scenarios).filter((sample) => sample.chance >= least),
    ),
    weights_of_all: all.map((weight) => round(weight, 2)),
  };
}

function summarize(scenarios: readonly NextEditScenario[], shown: readonly Sample[]) {
  const of = (kind: NextEditScenario['kind']) => scenarios.filter((each) => each.kind === kind);
  const share = (samples: readonly Sample[]) =>
    samples.length === 0 ? 1 : round(samples.filter(({ right }) => right).length / samples.length, 3);
  const places = (samples: readonly Sample[]) => new Set(samples.map(({ scenario }) => scenario)).size;
  const repeats = shown.filter(({ scenario }) => scenario.kind === 'repeat');
  const needless = shown.filter(({ scenario }) => scenario.kind === 'none');
  return {
    repeats_found: round(places(repeats.filter(({ right }) => right)) / of('repeat').length, 3),
    repeats_right: share(repeats),
    silent_where_nothing_is_due: round(1 - places(needless) / of('none').length, 3),
    right: share(shown),
    shown: shown.length,
  };
}
