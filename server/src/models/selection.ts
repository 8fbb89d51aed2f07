import type { ModelOffer } from '../../protocol/index.js';

/** Parameters that a token may go through before suggestions come too late to be useful. */
const ACTIVE_LIMIT_CPU = 4e9;
const ACTIVE_LIMIT_ACCELERATED = 16e9;

/** A head that drafts for the model makes it as good as a model of this many times the size at the same speed. */
const MTP_FACTOR = 1.4;

/** A model that can complete code here and leaves room for other programs. */
function isUsable(offer: ModelOffer): boolean {
  return offer.refusal === null && offer.fit !== 'tooLarge';
}

/**
 * How good the suggestions promise to be: a mixture of experts lies between what it holds and what it uses for a token.
 */
function quality({ parameterCount, activeParameterCount, capabilities }: ModelOffer): number {
  return Math.sqrt(parameterCount * activeParameterCount) * (capabilities.mtp ? MTP_FACTOR : 1);
}

/** For each source: usable before unusable, comfortable before tight, better before worse. */
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
 * The best model that fits comfortably and is fast enough for ghost text; of equals, one that is already here. Null
 * where nothing is both.
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
 * Of the usable models the nearest to a refused one: the same in a smaller quantization or, where there is none, the one
 * whose need is nearest.
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

/** In whatever quantization, as far as the numbers tell: a name gives the class, a header counts the tensors. */
function isSameModel(left: ModelOffer, right: ModelOffer): boolean {
  const ratio = left.parameterCount / right.parameterCount;
  return left.architecture === right.architecture && ratio > 0.9 && ratio < 1.1;
}
