import type { NativeEngine } from '../../../server/src/engine/addon/addon-types.js';
import type { BenchmarkFields } from '../measure/benchmark.js';
import { round } from '../measure/statistics.js';

/** The answers of our engine and of another one to the same prompt, greedy and without end tokens. */
export interface TwoAnswers {
  readonly prompt: readonly number[];
  readonly ours: readonly number[];
  readonly theirs: readonly number[];
}

/** Index of the first different token, which may be the end of the shorter answer; null for equal answers. */
export function firstDifference(left: readonly number[], right: readonly number[]): number | null {
  const length = Math.max(left.length, right.length);
  for (let index = 0; index < length; index += 1) if (left[index] !== right[index]) return index;
  return null;
}

export function shareOfSame(answers: readonly (readonly [readonly number[], readonly number[]])[]): number {
  const same = answers.filter(([left, right]) => firstDifference(left, right) === null);
  return answers.length === 0 ? 0 : round(same.length / answers.length, 3);
}

/**
 * How many answers are the same. For each other one: by how much our engine finds its own token likelier than the other
 * one's where they part (as natural logarithms). Next to nothing is a near tie, which rounding decides. Infinity, which
 * is null in JSON, means that the other token is not even our second choice, or that one answer ended.
 *
 * @param name of the field that says whether all are the same
 */
export async function describeAgreement(
  name: string,
  engine: NativeEngine,
  answers: readonly TwoAnswers[],
): Promise<BenchmarkFields> {
  const gaps: number[] = [];
  for (const { prompt, ours, theirs } of answers) {
    const at = firstDifference(ours, theirs);
    if (at !== null) gaps.push(round(await gapAt(engine, prompt, at, theirs[at]), 3));
  }
  const share = shareOfSame(answers.map(({ ours, theirs }) => [ours, theirs]));
  return { [name]: share === 1, [`${name}_share`]: share, [`${name}_gaps`]: gaps };
}

async function gapAt(
  engine: NativeEngine,
  prompt: readonly number[],
  at: number,
  theirs: number | undefined,
): Promise<number> {
  // Otherwise the last completion would be repeated, without the second-best tokens.
  await engine.generate({ prompt: [0], maxTokens: 1, speculation: 'off' }).result;
  const request = { prompt, maxTokens: at + 1, runnersUp: true, speculation: 'off' } as const;
  const { logProbabilities, runnersUp = [], runnerUpLogProbabilities = [] } = await engine.generate(request).result;
  if (theirs === undefined || runnersUp[at] !== theirs) return Number.POSITIVE_INFINITY;
  return logProbabilities[at]! - runnerUpLogProbabilities[at]!;
}
