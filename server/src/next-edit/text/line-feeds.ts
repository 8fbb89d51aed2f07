/** A text with `\n` line ends, and the way back to the text as it is. */
export interface LineFeedText {
  readonly text: string;
  /** The offset in the text as it is. */
  offsetOf(offset: number): number;
  /** The offset in `text`. */
  fromOriginal(offset: number): number;
  /** A new text with the line ends of this one. */
  withItsLineEnds(text: string): string;
}

export function withLineFeeds(original: string): LineFeedText {
  if (!original.includes('\r\n')) {
    const same = (offset: number) => offset;
    return { text: original, offsetOf: same, fromOriginal: same, withItsLineEnds: (text) => text };
  }
  /** Offsets of the carriage returns that were left out, in the original. */
  const left: number[] = [];
  for (let at = original.indexOf('\r\n'); at >= 0; at = original.indexOf('\r\n', at + 2)) left.push(at);
  return {
    text: original.replaceAll('\r\n', '\n'),
    // The nth carriage return stands before offset `left[n] - n` of the text without.
    offsetOf: (offset) => offset + countBelow(left, (at, index) => at - index < offset),
    fromOriginal: (offset) => offset - countBelow(left, (at) => at < offset),
    withItsLineEnds: (text) => text.replaceAll('\n', '\r\n'),
  };
}

/** How many entries at the start fulfil a condition that no later one does. */
function countBelow(sorted: readonly number[], isBelow: (value: number, index: number) => boolean): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBelow(sorted[middle] ?? 0, middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}
