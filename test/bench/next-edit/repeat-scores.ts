import { replacementsIn } from '../../../server/src/next-edit/repeat/replacement.js';
import { featuresOf } from '../../../server/src/next-edit/repeat/site-odds.js';
import { type Site, sitesOf } from '../../../server/src/next-edit/repeat/sites.js';
import { round } from '../measure/statistics.js';
import { fitLogistic } from './logistic-fit.js';
import type { NextEditModel } from './next-edit-answers.js';
import { editsOf, halves, type NextEditScenario } from './next-edit-scenarios.js';
import { hunksOf } from './repeated-edits.js';

interface ScoredSite {
  readonly scenario: NextEditScenario;
  readonly features: readonly number[];
  /** How much likelier the model finds the new text than the old one, in nats, within `WIDEST`. */
  readonly score: number;
  readonly right: boolean;
}

/** Scores beyond this say no more. */
const WIDEST = 12;

/** Whether the loaded model's opinion of each place makes the tier without a model better. */
export async function measureScores(
  model: NextEditModel,
  scenarios: readonly NextEditScenario[],
  progress: (text: string) => void,
) {
  const scored: ScoredSite[] = [];
  let ms = 0;
  for (const [index, scenario] of scenarios.entries()) {
    if (index % 40 === 0) progress(`scenario ${index} of ${scenarios.length}`);
    const due = hunksOf(scenario);
    for (const site of replacementsIn(editsOf(scenario)).flatMap((each) => sitesOf(each, scenario.current))) {
      const started = performance.now();
      const score = await scoreOf(model, scenario, site);
      ms += performance.now() - started;
      const right = due.has(`${site.start} ${site.end} ${site.replacement.to.join('')}`);
      scored.push({ scenario, features: featuresOf(site), score, right });
    }
  }
  const plain = judge(scored, scenarios, ({ features }) => features);
  const withScore = judge(scored, scenarios, ({ features, score }) => [...features, score / 4]);
  return {
    sites: scored.length,
    ms_each: round(ms / scored.length, 1),
    score_auc: round(auc(scored.map(({ score, right }) => ({ value: score, right }))), 3),
    ...Object.fromEntries(Object.entries(plain).map(([name, value]) => [`plain_${name}`, value])),
    ...Object.fromEntries(Object.entries(withScore).map(([name, value]) => [`scored_${name}`, value])),
  };
}

async function scoreOf(model: NextEditModel, scenario: NextEditScenario, { start, end, replacement }: Site) {
  const { current } = scenario;
  const { parts } = await model.promptFor(scenario);
  const behind = current.slice(end, end + 40);
  const [made, left] = await Promise.all([
    model.engine.tokenize(current.slice(0, start) + replacement.to.join('') + behind),
    model.engine.tokenize(current.slice(0, end) + behind),
  ]);
  let same = 0;
  while (same < made.length && made[same] === left[same]) same++;
  const prompt = [...parts, ...made.slice(0, same)];
  const { tokens, logProbabilities, runnersUp } = await model.engine.generate(
    { prompt, sectionBoundaries: [parts.length], maxTokens: 1, runnersUp: true },
    () => undefined,
    new AbortController().signal,
  );
  const best = tokens[0];
  const chosen = logProbabilities[0] ?? 0;
  const next = runnersUp[0] ?? null;
  const least = (next?.logProbability ?? chosen) - 1;
  const of = (token: number | undefined) =>
    token === best ? chosen : token === next?.token ? (next?.logProbability ?? least) : least;
  return Math.max(-WIDEST, Math.min(WIDEST, of(made[same]) - of(left[same])));
}

function judge(
  scored: readonly ScoredSite[],
  scenarios: readonly NextEditScenario[],
  featuresFor: (each: ScoredSite) => readonly number[],
) {
  const { fitted, judged } = halves(scenarios);
  const [isFitted, isJudged] = [new Set(fitted), new Set(judged)];
  const weights = fitLogistic(
    scored
      .filter(({ scenario }) => isFitted.has(scenario))
      .map((each) => ({ features: featuresFor(each), right: each.right })),
  );
  const asked = scored
    .filter(({ scenario }) => isJudged.has(scenario))
    .map((each) => ({
      ...each,
      value: featuresFor(each).reduce((sum, value, index) => sum + value * (weights[index] ?? 0), 0),
    }));
  const at = (chance: number) => {
    const shown = asked.filter(({ value }) => 1 / (1 + Math.exp(-value)) >= chance);
    const found = new Set(
      shown.filter(({ right, scenario }) => right && scenario.kind === 'repeat').map(({ scenario }) => scenario),
    );
    const repeats = judged.filter(({ kind }) => kind === 'repeat').length;
    return {
      shown: shown.length,
      right: round(shown.filter(({ right }) => right).length / Math.max(1, shown.length), 3),
      found: round(found.size / repeats, 3),
    };
  };
  const fields: Record<string, number> = { auc: round(auc(asked), 4) };
  for (const chance of [0.6, 0.75, 0.9]) {
    for (const [name, value] of Object.entries(at(chance))) fields[`${name}_at_${chance}`] = value;
  }
  return fields;
}

function auc(samples: readonly { readonly value: number; readonly right: boolean }[]): number {
  const right = samples.filter((each) => each.right);
  const wrong = samples.filter((each) => !each.right);
  let wins = 0;
  for (const one of right)
    for (const other of wrong) wins += one.value > other.value ? 1 : one.value === other.value ? 0.5 : 0;
  return wins / Math.max(1, right.length * wrong.length);
}
