import { formatNumber } from '../../../server/protocol/index.js';

/** `1.9 / 8.0 GB`. */
export function formatMemoryUse(usedBytes: number, budgetBytes: number): string {
  return `${formatNumber(usedBytes / 1e9, 1)} / ${formatNumber(budgetBytes / 1e9, 1)} GB`;
}

/**
 * As model names write it, in every language: `120K`, `55M`, `0.5B`, `3B`. It stands beside such names, and who searches
 * the list of models types it like that.
 */
export function formatParameterCount(count: number): string {
  if (count > 0 && count <= 999_000) return `${Math.ceil(count / 1e3)}K`;
  if (count < 450e6) return `${Math.round(count / 1e6)}M`;
  return `${Math.round(count / 1e8) / 10}B`;
}

/** `0 ms`, `0.8 ms`, `42 ms`, `1.3 s`. */
export function formatMilliseconds(milliseconds: number): string {
  if (milliseconds >= 0.05 && milliseconds < 0.95) return `${formatNumber(milliseconds, 1)} ms`;
  return milliseconds < 999.5 ? `${Math.round(milliseconds)} ms` : `${formatNumber(milliseconds / 1000, 1)} s`;
}

/** Rounded up, as nobody minds a shorter wait: `40 s`, `3 min`, `1 h 5 min`. */
export function formatDuration(seconds: number): string {
  if (seconds <= 59) return `${Math.ceil(seconds)} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
