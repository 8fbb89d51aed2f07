import { replacedByEdits, replacedIn } from '../../../server/src/next-edit/quiet/changed-words.js';
import { judgeRewrite } from '../../../server/src/next-edit/quiet/judge-rewrite.js';
import { fittedGate, PLAIN_GATE, type RewriteGate } from '../../../server/src/next-edit/quiet/rewrite-gate.js';
import { evidenceOf, featuresOf } from '../../../server/src/next-edit/quiet/rewrite-odds.js';
import type { Rewrite } from '../../../server/src/next-edit/rewrite/rewriter.js';
import type { BenchmarkFields } from '../measure/benchmark.js';
import { round } from '../measure/statistics.js';
import { builtGrammars } from './built-grammars.js';
import { fitLogistic } from './logistic-fit.js';
import { questionOf } from './next-edit-answers.js';
import { halves, type NextEditScenario, repeatsIn } from './next-edit-scenarios.js';
import { hunksOf } from './repeated-edits.js';

/** What the model made of a scenario's region; null where it did not finish. */
export interface Answered {
  readonly scenario: NextEditScenario;
  readonly whole: Rewrite | null;
  /** Of the lines that the server would ask about; null also where it would not ask. */
  readonly asked: Rewrite | null;
}

type Verdict = 'right' | 'wrong' | 'silent';

/**
 * Rare evidence must not decide alone: hardly any rewrite that repeats nothing is right, and a light penalty would forbid
 * even the surest of them.
 */
const PENALTY = 0.04;

/**
 * Weights that are fitted on one half and judged on the other, alone and after the tier without a model. The shipped
 * weights know both halves, so what they show says less.
 *
 * @param shipped the gate that the server has for the model
 */
export async function measureQuality(
  answers: readonly Answered[],
  kinds: readonly NextEditScenario['kind'][],
  shipped: RewriteGate,
) {
  const { fitted, judged } = halves(answers);
  const weights = fitLogistic(samplesOf(fitted), PENALTY);
  const onHalf = fittedGate(weights);
  const repeats = await repeatVerdicts(answers);
  const verdicts: Readonly<Record<string, (answered: Answered) => Verdict>> = {
    ungated: ({ scenario, whole }) => ungatedVerdict(scenario, whole),
    fitted_on_half: ({ scenario, asked }) => verdictBy(scenario, asked, onHalf),
    shipped: ({ scenario, asked }) => verdictBy(scenario, asked, shipped),
    plain: ({ scenario, whole }) => verdictBy(scenario, whole, PLAIN_GATE),
    both_tiers: ({ scenario, asked }) => repeats.get(scenario) ?? verdictBy(scenario, asked, onHalf),
  };
  const fields: Record<string, BenchmarkFields[string]> = {};
  for (const [name, verdict] of Object.entries(verdicts)) {
    for (const kind of kinds) fields[`${name}_${kind}`] = counted(judged, kind, verdict);
    fields[name] = summary(judged, verdict);
  }
  return {
    ...fields,
    weights_of_half: weights.map((weight) => round(weight, 2)),
    weights_of_all: fitLogistic(samplesOf(answers), PENALTY).map((weight) => round(weight, 2)),
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

function ungatedVerdict(scenario: NextEditScenario, rewrite: Rewrite | null): Verdict {
  if (rewrite === null || rewrite.answer.kind !== 'rewritten') return 'silent';
  return sameText(rewrite.answer.region, scenario.updated) ? 'right' : 'wrong';
}

function verdictBy(scenario: NextEditScenario, rewrite: Rewrite | null, gate: RewriteGate): Verdict {
  if (rewrite === null || judgeRewrite(rewrite, questionOf(scenario), gate, () => false).kind === 'silent')
    return 'silent';
  return ungatedVerdict(scenario, rewrite);
}

/** What the tier without a model shows, where it shows something. */
async function repeatVerdicts(answers: readonly Answered[]): Promise<ReadonlyMap<NextEditScenario, Verdict>> {
  const trees = builtGrammars();
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

/** What other rules drop teaches nothing. */
function samplesOf(answers: readonly Answered[]) {
  return answers.flatMap(({ scenario, asked: rewrite }) => {
    if (rewrite === null || rewrite.answer.kind !== 'rewritten') return [];
    const { current, edits } = scenario;
    const evidence = evidenceOf(rewrite, replacedIn(current, rewrite.answer.region), replacedByEdits(edits));
    if (evidence === null || verdictBy(scenario, rewrite, EVERY_REWRITE) === 'silent') return [];
    return [{ features: featuresOf(evidence), right: ungatedVerdict(scenario, rewrite) === 'right' }];
  });
}

const EVERY_REWRITE: RewriteGate = { passes: () => true, canPass: () => true, onlyRepeats: false };

function sameText(one: string, other: string): boolean {
  return one.trimEnd() === other.trimEnd();
}
