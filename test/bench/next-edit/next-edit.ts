import { LEAST_CHANCE } from '../../../server/src/next-edit/repeat/site-odds.js';
import { type Benchmark, type BenchmarkFields, type BenchmarkOptions, prefixed } from '../measure/benchmark.js';
import { NextEditModel } from './next-edit-answers.js';
import { measureLatency } from './next-edit-latency.js';
import { type Answered, measureQuality } from './next-edit-quality.js';
import { type NextEditScenario, readScenarios } from './next-edit-scenarios.js';
import { measureScores } from './repeat-scores.js';
import { measureRepeats, measureWholeFiles } from './repeated-edits.js';

const KINDS = ['none', 'repeat', 'edit'] as const;

export const nextEdit: Benchmark = {
  name: 'next-edit',
  summary: 'the next edit of real commits: repeated replacements, what the model makes of a region, and how fast',
  defaultRuns: 40,
  parts: ['repeats', 'files', 'scores', 'quality', 'latency'],
  run: async (options) => {
    const scenarios = readScenarios();
    const wanted = (part: string) => options.part === null || options.part === part;
    const fields: Record<string, BenchmarkFields[string]> = { scenarios: scenarios.length };
    if (wanted('repeats')) {
      Object.assign(fields, prefixed('repeats', await measureRepeats(scenarios, LEAST_CHANCE)));
    }
    if (wanted('files')) Object.assign(fields, prefixed('files', await measureWholeFiles()));
    if (wanted('quality') || wanted('latency') || wanted('scores')) {
      const model = await NextEditModel.load(options.model, options.threads);
      try {
        if (wanted('scores'))
          Object.assign(fields, prefixed('scores', await measureScores(model, scenarios, options.progress)));
        if (wanted('latency')) Object.assign(fields, await measureLatency(model, scenarios, options));
        if (wanted('quality'))
          Object.assign(fields, await measureQuality(await answers(model, scenarios, options), KINDS, model.gate));
      } finally {
        await model.close();
      }
    }
    return fields;
  },
};

async function answers(
  model: NextEditModel,
  scenarios: readonly NextEditScenario[],
  { progress }: BenchmarkOptions,
): Promise<readonly Answered[]> {
  const answered: Answered[] = [];
  for (const scenario of scenarios) {
    if (answered.length % 20 === 0) progress(`scenario ${answered.length} of ${scenarios.length}`);
    const prompt = await model.promptFor(scenario);
    const whole = await model.answer(prompt);
    const asked = model.wouldAsk(scenario) ? await model.answerWithin(scenario, prompt) : null;
    answered.push({
      scenario,
      whole: whole.kind === 'rewrite' ? whole.rewrite : null,
      asked: asked?.kind === 'rewrite' ? asked.rewrite : null,
    });
  }
  return answered;
}
