import { replacedByEdits, replacedIn } from '../../server/src/next-edit/quiet/changed-words.js';
import { judgeRewrite } from '../../server/src/next-edit/quiet/judge-rewrite.js';
import { featuresOf, LEAST_CHANCE } from '../../server/src/next-edit/quiet/rewrite-odds.js';
import type { Rewrite } from '../../server/src/next-edit/rewrite/rewriter.js';
import { syntaxTrees } from '../support/grammars.js';
import type { BenchmarkFields } from './benchmark.js';
import { fitLogistic } from './logistic-fit.js';
import { questionOf } from './next-edit-answers.js';
import { halves, type NextEditScenario, repeatsIn } from './next-edit-scenarios.js';
import { hunksOf } from './repeated-edits.js';
import { round } from './statistics.js';

/** What the model made of a scenario's region; null where it did not finish. */
export interface Answered {
  readonly scenario: NextEditScenario;
  readonly rewrite: Rewrite | null;
}

type Verdict = 'right' | 'wrong' | 'silent';

/**
 * Weights that are fitted on one half and judged on the other, alone and behind the tier without a model. The shipped
 * weights know both halves, so what they show says less.
 */
export async function measureQuality(answers: readonly Answered[], kinds: readonly NextEditScenario['kind'][]) {
  const { fitted, judged } = halves(answers);
  const weights = fitOdds(fitted);
  const byWeights = (answered: Answered) => verdictBy(answered, (features) => odds(weights, features) >= LEAST_CHANCE);
  const shipped = (answered: Answered) => verdictBy(answered, null);
  const repeats = await repeatVerdicts(answers);
  const tiers = (answered: Answered) => repeats.get(answered.scenario) ?? byWeights(answered);
  const fields: Record<string, BenchmarkFields[string]> = {};
  for (const kind of kinds) {
    fields[`ungated_${kind}`] = counted(judged, kind, (answered) => verdictBy(answered, () => true, true));
    fields[`fitted_on_half_${kind}`] = counted(judged, kind, byWeights);
    fields[`shipped_${kind}`] = counted(judged, kind, shipped);
    fields[`both_tiers_${kind}`] = counted(judged, kind, tiers);
  }
  return {
    ...fields,
    fitted_on_half: summary(judged, byWeights),
    shipped: summary(judged, shipped),
    both_tiers: summary(judged, tiers),
    weights_of_half: weights.map((weight) => round(weight, 2)),
    weights_of_all: fitOdds(answers).map((weight) => round(weight, 2)),
  };
}

function counted(answers: readonly Answered[], kind: NextEditScenario['kind'], verdict: (each: Answered) => Verdict) {
  const verdicts = answers.filter(({ scenario }) => scenario.kind === kind).map(verdict);
  const count = (wanted: Verdict) => verdicts.filter((each) => each === wanted).length;
  // Where nothing is due, silence is right.
  const [silent_when_right, silent_when_wrong] = kind === 'none' ? [count('silent'), 0] : [0, count('silent')];
  return { right: count('right'), wrong: count('wrong'), silent_when_right, silent_when_wrong };
}

function summary(answers: readonly Answered[], verdict: (each: Answered) => Verdict) {
  const verdicts = answers.map((each) => ({ kind: each.scenario.kind, verdict: verdict(each) }));
  const shown = verdicts.filter((each) => each.verdict !== 'silent');
  const none = verdicts.filter(({ kind }) => kind === 'none');
  return {
    shown: shown.length,
    shown_right: share(shown, (each) => each.verdict === 'right'),
    silent_where_nothing_is_due: share(none, (each) => each.verdict === 'silent'),
  };
}

function share<Each>(all: readonly Each[], counts: (each: Each) => boolean): number {
  return all.length === 0 ? 1 : round(all.filter(counts).length / all.length, 3);
}

/** @param keep what the odds keep; null for the shipped judgement @param ungated every rewrite counts as shown */
function verdictBy(
  { scenario, rewrite }: Answered,
  keep: ((features: readonly number[]) => boolean) | null,
  ungated = false,
): Verdict {
  if (rewrite === null || rewrite.answer.kind !== 'rewritten') return 'silent';
  const right = sameText(rewrite.answer.region, scenario.updated) ? 'right' : 'wrong';
  if (ungated) return right;
  const judgement = judgeRewrite(rewrite, questionOf(scenario), () => false);
  const passes =
    keep === null
      ? judgement.kind === 'show'
      : (judgement.kind === 'show' || judgement.reason === 'unsure') &&
        rewrite.departure !== null &&
        keep(featuresIn(scenario, rewrite));
  return passes ? right : 'silent';
}

/** What the tier without a model shows, where it shows something. */
async function repeatVerdicts(answers: readonly Answered[]): Promise<ReadonlyMap<NextEditScenario, Verdict>> {
  const trees = syntaxTrees();
  const verdicts = new Map<NextEditScenario, Verdict>();
  for (const { scenario } of answers) {
    const [first] = await repeatsIn(scenario, trees);
    if (first === undefined) continue;
    const isRight = hunksOf(scenario).has(`${first.start} ${first.end} ${first.newText}`);
    verdicts.set(scenario, isRight ? 'right' : 'wrong');
  }
  trees.dispose();
  return verdicts;
}

function fitOdds(answers: readonly Answered[]): readonly number[] {
  const samples = answers.flatMap(({ scenario, rewrite }) => {
    if (rewrite === null || rewrite.answer.kind !== 'rewritten' || rewrite.departure === null) return [];
    // What other rules drop teaches nothing.
    const judgement = judgeRewrite(rewrite, questionOf(scenario), () => false);
    if (judgement.kind === 'silent' && judgement.reason !== 'unsure') return [];
    return [{ features: featuresIn(scenario, rewrite), right: sameText(rewrite.answer.region, scenario.updated) }];
  });
  return fitLogistic(samples);
}

function featuresIn({ current, edits }: NextEditScenario, rewrite: Rewrite): readonly number[] {
  const made = rewrite.answer.kind === 'rewritten' ? rewrite.answer.region : current;
  return featuresOf(rewrite, replacedIn(current, made), replacedByEdits(edits));
}

function odds(weights: readonly number[], features: readonly number[]): number {
  return 1 / (1 + Math.exp(-features.reduce((sum, value, index) => sum + value * (weights[index] ?? 0), 0)));
}

function sameText(one: string, other: string): boolean {
  return one.trimEnd() === other.trimEnd();
}
