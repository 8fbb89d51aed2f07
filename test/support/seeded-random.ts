export interface SeededRandom {
  /** From 0 to limit - 1. */
  below(limit: number): number;
}

/** The same numbers for the same seed on every machine (a 32-bit xorshift). */
export function seededRandom(seed: number): SeededRandom {
  let state = (seed * 2_654_435_761 + 0x9e37_79b9) >>> 0 || 1;
  return {
    below(limit) {
      state ^= state << 13;
      state >>>= 0;
      state ^= state >>> 17;
      state ^= state << 5;
      state >>>= 0;
      return state % limit;
    },
  };
}
