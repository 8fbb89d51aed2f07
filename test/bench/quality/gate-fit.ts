import { chanceOf } from '../../../server/src/completion/confidence/gate.js';
import {
  GATE_FEATURES,
  type GateFeature,
  type GateModel,
} from '../../../server/src/completion/confidence/gate-model.js';

/** One beginning of a suggestion, and whether it was right. */
export interface GateExample {
  readonly features: Readonly<Record<GateFeature, number>>;
  readonly right: boolean;
  /** Beginnings of one suggestion say much the same. */
  readonly weight: number;
}

const RIDGE = 1e-3;
const MOST_STEPS = 30;
const SMALL_STEP = 1e-5;

/** Logistic regression by Newton's method, with a small ridge on all weights but the bias. */
export function fitGate(examples: readonly GateExample[]): GateModel {
  const rows = examples.map(({ features }) => [1, ...GATE_FEATURES.map((name) => features[name])]);
  const size = GATE_FEATURES.length + 1;
  const total = examples.reduce((sum, { weight }) => sum + weight, 0);
  let weights = new Array<number>(size).fill(0);
  for (let step = 0; step < MOST_STEPS; step += 1) {
    const gradient = weights.map((weight, index) => (index === 0 ? 0 : -RIDGE * total * weight));
    const curvature = weights.map((_, row) =>
      weights.map((_other, column) => (row === column && row > 0 ? RIDGE * total : 0)),
    );
    for (const [index, row] of rows.entries()) {
      const { right, weight } = examples[index]!;
      const chance = 1 / (1 + Math.exp(-dot(weights, row)));
      for (let i = 0; i < size; i += 1) {
        gradient[i]! += ((right ? 1 : 0) - chance) * weight * row[i]!;
        for (let j = 0; j < size; j += 1) curvature[i]![j]! += chance * (1 - chance) * weight * row[i]! * row[j]!;
      }
    }
    const change = solve(curvature, gradient);
    weights = weights.map((weight, index) => weight + change[index]!);
    if (Math.max(...change.map(Math.abs)) < SMALL_STEP) break;
  }
  const [bias = 0, ...rest] = weights.map((weight) => Number(weight.toFixed(3)));
  const named = Object.fromEntries(GATE_FEATURES.map((name, index) => [name, rest[index] ?? 0]));
  return { bias, weights: named as GateModel['weights'] };
}

/** The chance that a right example gets the better mark than a wrong one; 0.5 for guessing. */
export function areaUnderCurve(examples: readonly GateExample[], model: GateModel): number {
  const marked = examples
    .map(({ features, right }) => ({ chance: chanceOf(features, model, 0), right }))
    .sort((left, other) => left.chance - other.chance);
  const right = marked.filter((each) => each.right).length;
  let ranks = 0;
  for (let at = 0; at < marked.length; ) {
    let end = at;
    while (end < marked.length && marked[end]!.chance === marked[at]!.chance) end += 1;
    ranks += marked.slice(at, end).filter((each) => each.right).length * ((at + end + 1) / 2);
    at = end;
  }
  return (ranks - (right * (right + 1)) / 2) / (right * (marked.length - right));
}

const BINS = 10;

/** How far the mean chance is from the share that was right, in ten bins of equal size. */
export function calibrationError(examples: readonly GateExample[], model: GateModel): number {
  const marked = examples
    .map(({ features, right }) => ({ chance: chanceOf(features, model, 0), right: right ? 1 : 0 }))
    .sort((left, other) => left.chance - other.chance);
  let error = 0;
  for (let bin = 0; bin < BINS; bin += 1) {
    const part = marked.slice(Math.floor((bin * marked.length) / BINS), Math.floor(((bin + 1) * marked.length) / BINS));
    error += Math.abs(part.reduce((sum, { chance, right }) => sum + chance - right, 0));
  }
  return error / Math.max(1, marked.length);
}

function dot(left: readonly number[], right: readonly number[]): number {
  return left.reduce((sum, value, index) => sum + value * right[index]!, 0);
}

/** Gauss elimination with pivots. */
function solve(matrix: readonly (readonly number[])[], values: readonly number[]): readonly number[] {
  const rows = matrix.map((row, index) => [...row, values[index]!]);
  const size = rows.length;
  for (let at = 0; at < size; at += 1) {
    const pivot = rows
      .slice(at)
      .reduce((best, row, index) => (Math.abs(row[at]!) > Math.abs(rows[best]![at]!) ? at + index : best), at);
    [rows[at], rows[pivot]] = [rows[pivot]!, rows[at]!];
    const own = rows[at]!;
    // A feature that no example has gets no weight.
    if (Math.abs(own[at]!) < Number.EPSILON) continue;
    for (const [index, row] of rows.entries()) {
      const factor = index === at ? 0 : row[at]! / own[at]!;
      if (factor !== 0) rows[index] = row.map((value, column) => value - factor * own[column]!);
    }
  }
  return rows.map((row, index) => (Math.abs(row[index]!) < Number.EPSILON ? 0 : row[size]! / row[index]!));
}
