import type { ModelOffer } from '../../protocol/index.js';

/** Most parameters per token with which suggestions are still fast enough. */
const ACTIVE_LIMIT_CPU = 4e9;
const ACTIVE_LIMIT_ACCELERATED = 16e9;

/** At the same speed, a model with an MTP head is as good as a model this many times its size. */
const MTP_FACTOR = 1.4;

/** A model that can complete code here and leaves room for other programs. */
function isUsable(offer: ModelOffer): boolean {
  return offer.refusal === null && offer.fit !== 'tooLarge';
}

/** Expected quality of the suggestions: a mixture of experts lies between its total and its active parameters. */
function quality({ parameterCount, activeParameterCount, capabilities }: ModelOffer): number {
  return Math.sqrt(parameterCount * activeParameterCount) * (capabilities.mtp ? MTP_FACTOR : 1);
}

/** Within each source: usable before unusable, comfortable before tight, better before worse. */
export function rankOffers(offers: readonly ModelOffer[]): readonly ModelOffer[] {
  const order = { comfortable: 0, tight: 1, tooLarge: 2 } as const;
  return [...offers].sort(
    (left, right) =>
      Number(left.refusal !== null) - Number(right.refusal !== null) ||
      order[left.fit] - order[right.fit] ||
      quality(right) - quality(left) ||
      left.id.localeCompare(right.id),
  );
}

/**
 * The best model that fits comfortably and is fast enough for ghost text; of equal ones, one that is already here. Null
 * without one.
 *
 * @param accelerated whether models run on a GPU here
 */
export function recommend(offers: readonly ModelOffer[], accelerated: boolean): ModelOffer | null {
  const limit = accelerated ? ACTIVE_LIMIT_ACCELERATED : ACTIVE_LIMIT_CPU;
  const candidates = offers.filter(
    (offer) => isUsable(offer) && offer.fit === 'comfortable' && offer.activeParameterCount <= limit,
  );
  const [best] = candidates.sort(
    (left, right) => quality(right) - quality(left) || Number(left.path === null) - Number(right.path === null),
  );
  return best ?? null;
}

/**
 * The usable model nearest to a refused one: the same model in a smaller quantization, otherwise the one with the
 * nearest need.
 */
export function nearestAlternative(
  offers: readonly ModelOffer[],
  refused: ModelOffer | null,
  accelerated: boolean,
): ModelOffer | null {
  const usable = offers.filter(isUsable);
  if (refused === null) return recommend(usable, accelerated) ?? usable[0] ?? null;
  const distance = (offer: ModelOffer): number => Math.abs(Math.log(offer.memoryBytes / refused.memoryBytes));
  const isOther = (offer: ModelOffer): number => Number(!isSameModel(offer, refused));
  const [nearest] = usable.sort(
    (left, right) =>
      isOther(left) - isOther(right) ||
      distance(left) - distance(right) ||
      Number(left.path === null) - Number(right.path === null),
  );
  return nearest ?? null;
}

/** In any quantization, as far as the counts show: a name states the class, a header counts the tensors. */
function isSameModel(left: ModelOffer, right: ModelOffer): boolean {
  const ratio = left.parameterCount / right.parameterCount;
  return left.architecture === right.architecture && ratio > 0.9 && ratio < 1.1;
}
