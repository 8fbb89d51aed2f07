/** Weights of a logistic model by gradient descent, with a small penalty on all but the first (the constant). */
export function fitLogistic(
  samples: readonly { readonly features: readonly number[]; readonly right: boolean }[],
  penalty = 1e-4,
): readonly number[] {
  const ROUNDS = 6_000;
  const RATE = 0.3;
  const weights = (samples[0]?.features ?? []).map(() => 0);
  for (let round = 0; round < ROUNDS; round++) {
    const gradient = weights.map((weight, index) => (index === 0 ? 0 : penalty * weight));
    for (const { features, right } of samples) {
      const sum = features.reduce((total, value, index) => total + value * (weights[index] ?? 0), 0);
      const error = (1 / (1 + Math.exp(-sum)) - (right ? 1 : 0)) / samples.length;
      features.forEach((value, index) => {
        gradient[index] = (gradient[index] ?? 0) + error * value;
      });
    }
    weights.forEach((weight, index) => {
      weights[index] = weight - RATE * (gradient[index] ?? 0);
    });
  }
  return weights;
}
