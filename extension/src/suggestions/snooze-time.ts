/** One moment, by both clocks of the machine. */
export interface ClockTimes {
  /** Milliseconds since the epoch: the wall clock, which may be set at any time. */
  readonly wall: number;
  /** A time of `performance.now()`, which may stand still while the machine sleeps. */
  readonly steady: number;
}

/** @param now both clocks at the start */
export function snoozeEnd(minutes: number, now: ClockTimes): ClockTimes {
  return { wall: now.wall + minutes * 60_000, steady: now.steady + minutes * 60_000 };
}

/** Milliseconds until the first of the two clocks says that it is over; 0 when it is. */
export function snoozeLeft(end: ClockTimes, now: ClockTimes): number {
  return Math.max(0, Math.min(end.wall - now.wall, end.steady - now.steady));
}

export function currentTime(): ClockTimes {
  return { wall: Date.now(), steady: performance.now() };
}
