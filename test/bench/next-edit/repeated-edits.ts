import { replacementsIn } from '../../../server/src/next-edit/repeat/replacement.js';
import { featuresOf } from '../../../server/src/next-edit/repeat/site-odds.js';
import { sitesOf } from '../../../server/src/next-edit/repeat/sites.js';
import { differingTokens, tokensOf } from '../../../server/src/next-edit/repeat/token-difference.js';
import { type Offered, RepeatedInFiles } from '../../support/code/repeated-in-files.js';
import { round } from '../measure/statistics.js';
import { builtGrammars } from './built-grammars.js';
import { fitLogistic } from './logistic-fit.js';
import { editsOf, halves, type NextEditScenario, repeatsIn } from './next-edit-scenarios.js';

/** An edit that is offered in a scenario. */
interface OfferedEdit {
  readonly scenario: NextEditScenario;
  /** Whether the commit made this very replacement here. */
  readonly right: boolean;
}

interface Sample extends OfferedEdit {
  readonly features: readonly number[];
}

/** Every place of the scenarios' regions at which a recent replacement could be repeated. */
function samplesOf(scenarios: readonly NextEditScenario[]): readonly Sample[] {
  return scenarios.flatMap((scenario) => {
    const due = hunksOf(scenario);
    return replacementsIn(editsOf(scenario))
      .flatMap((replacement) => sitesOf(replacement, scenario.current))
      .map((site) => ({
        scenario,
        features: featuresOf(site),
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
 * The tier without a model. Weights are fitted on every other scenario and judged on the rest; `shipped` is all that the
 * server would offer, with the weights of site-odds.ts, which know all scenarios.
 */
export async function measureRepeats(scenarios: readonly NextEditScenario[], least: number) {
  const { fitted, judged } = halves(scenarios);
  const weights = fitLogistic(samplesOf(fitted));
  const all = fitLogistic(samplesOf(scenarios));
  const chance = (features: readonly number[]) =>
    1 / (1 + Math.exp(-features.reduce((sum, value, index) => sum + value * (weights[index] ?? 0), 0)));
  return {
    fitted_on_half: summarize(
      judged,
      samplesOf(judged).filter(({ features }) => chance(features) >= least),
    ),
    shipped: summarize(scenarios, await offeredIn(scenarios)),
    weights_of_all: all.map((weight) => round(weight, 2)),
  };
}

async function offeredIn(scenarios: readonly NextEditScenario[]): Promise<readonly OfferedEdit[]> {
  const trees = builtGrammars();
  const offered: OfferedEdit[] = [];
  for (const scenario of scenarios) {
    const due = hunksOf(scenario);
    for (const { start, end, newText } of await repeatsIn(scenario, trees)) {
      offered.push({ scenario, right: due.has(`${start} ${end} ${newText}`) });
    }
  }
  trees.dispose();
  return offered;
}

/** Renamed declarations and added parameters in whole files, beside what the compiler knows. */
export async function measureWholeFiles() {
  const trees = builtGrammars();
  const files = new RepeatedInFiles(trees);
  const [renames, parameters] = [await files.renames(), await files.addedParameters()];
  trees.dispose();
  return {
    renames: beside(renames.filter(({ of }) => of.kind !== 'method')),
    renamed_methods: beside(renames.filter(({ of }) => of.kind === 'method')),
    function_parameters: beside(parameters.filter(({ of }) => of.kind === 'function')),
    method_parameters: beside(parameters.filter(({ of }) => of.kind === 'method')),
  };
}

function beside(offered: readonly Offered[]) {
  const sum = (of: (each: Offered) => number) => offered.reduce((total, each) => total + of(each), 0);
  const [right, wrong, missed] = [
    sum((each) => each.right),
    sum((each) => each.wrong.length),
    sum((each) => each.missed),
  ];
  const share = (of: number) => (of === 0 ? 1 : round(right / of, 3));
  return {
    declarations: offered.length,
    shown: right + wrong,
    right: share(right + wrong),
    found: share(right + missed),
  };
}

function summarize(scenarios: readonly NextEditScenario[], shown: readonly OfferedEdit[]) {
  const of = (kind: NextEditScenario['kind']) => scenarios.filter((each) => each.kind === kind);
  const share = (samples: readonly OfferedEdit[]) =>
    samples.length === 0 ? 1 : round(samples.filter(({ right }) => right).length / samples.length, 3);
  const places = (samples: readonly OfferedEdit[]) => new Set(samples.map(({ scenario }) => scenario)).size;
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
