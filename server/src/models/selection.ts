import { isFast, type ModelOffer } from '../../protocol/index.js';

/** About four words a second. */
const READING_TOKENS_PER_SECOND = 5;

/** A model that can complete code here and leaves room for other programs. */
function isUsable(offer: ModelOffer): boolean {
  return offer.refusal === null && offer.fit !== 'tooLarge';
}

/** Expected quality of the suggestions: a mixture of experts lies between its total and its active parameters. */
function quality({ parameterCount, activeParameterCount }: ModelOffer): number {
  return Math.sqrt(parameterCount * activeParameterCount);
}

/** Fast before slow; of two fast models the better one first, of two slow ones the faster one. */
function byWorth(left: ModelOffer, right: ModelOffer): number {
  const fast = [isFast(left.speed), isFast(right.speed)];
  if (fast[0] !== fast[1]) return Number(fast[1]) - Number(fast[0]);
  return fast[0] ? quality(right) - quality(left) : right.speed.tokensPerSecond - left.speed.tokensPerSecond;
}

/**
 * Within each source: usable before unusable, comfortable before tight, trained for suggestions before others, then by
 * worth here.
 */
export function rankOffers(offers: readonly ModelOffer[]): readonly ModelOffer[] {
  const order = { comfortable: 0, tight: 1, tooLarge: 2 } as const;
  return [...offers].sort(
    (left, right) =>
      Number(left.refusal !== null) - Number(right.refusal !== null) ||
      order[left.fit] - order[right.fit] ||
      Number(right.fimTrained) - Number(left.fimTrained) ||
      byWorth(left, right) ||
      left.id.localeCompare(right.id),
  );
}

/**
 * The best model for suggestions that fits comfortably, was trained for them and is fast enough here; of equal ones, one
 * that is already here. Null without one.
 */
export function recommend(offers: readonly ModelOffer[]): ModelOffer | null {
  const candidates = offers.filter(
    (offer) => isUsable(offer) && offer.fit === 'comfortable' && offer.fimTrained && isFast(offer.speed),
  );
  const [best] = candidates.sort(
    (left, right) => quality(right) - quality(left) || Number(left.path === null) - Number(right.path === null),
  );
  return best ?? null;
}

/**
 * The chat model for a machine that has some: the best of those that fit and answer as fast as people read, or else the
 * fastest. Null without one.
 */
export function bestChatModel(offers: readonly ModelOffer[]): ModelOffer | null {
  const candidates = offers.filter(
    ({ capabilities, fit, nextEdits, path, refusal }) =>
      path !== null &&
      capabilities.chat &&
      !nextEdits &&
      fit !== 'tooLarge' &&
      (refusal === null || refusal.code === 'noFimTokens'),
  );
  const isReadable = ({ speed }: ModelOffer) => speed.tokensPerSecond >= READING_TOKENS_PER_SECOND;
  const [best] = candidates.sort(
    (left, right) =>
      Number(right.fit === 'comfortable') - Number(left.fit === 'comfortable') ||
      Number(isReadable(right)) - Number(isReadable(left)) ||
      (isReadable(left) ? quality(right) - quality(left) : right.speed.tokensPerSecond - left.speed.tokensPerSecond) ||
      left.id.localeCompare(right.id),
  );
  return best ?? null;
}

/** The chat model that is downloaded soonest, of those that fit; null without one. */
export function smallestChatModel(offers: readonly ModelOffer[]): ModelOffer | null {
  const candidates = offers.filter(
    ({ capabilities, download, fit }) => capabilities.chat && download !== null && fit !== 'tooLarge',
  );
  return candidates.sort((left, right) => left.fileBytes - right.fileBytes)[0] ?? null;
}

/**
 * The model nearest to a refused one that can be used here and is fast enough, or the starter model: the same model in a
 * smaller quantization, otherwise one that was trained for suggestions with the nearest need. Null if none fits.
 */
export function nearestAlternative(offers: readonly ModelOffer[], refused: ModelOffer | null): ModelOffer | null {
  const candidates = offers.filter((offer) => isUsable(offer) && (offer.source === 'starter' || isFast(offer.speed)));
  if (refused === null) return recommend(candidates) ?? candidates[0] ?? null;
  const distance = (offer: ModelOffer): number => Math.abs(Math.log(offer.memoryBytes / refused.memoryBytes));
  const isOther = (offer: ModelOffer): number => Number(!isSameModel(offer, refused));
  const [nearest] = candidates.sort(
    (left, right) =>
      isOther(left) - isOther(right) ||
      Number(right.fimTrained) - Number(left.fimTrained) ||
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
