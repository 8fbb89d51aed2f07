import { formatNumber } from '../../../server/protocol/index.js';

/**
 * Size of a file or of memory in decimal units, as file managers and model pages use: `320 KB`, `42 MB`, `1.6 GB`; zero
 * is `0 MB`.
 */
export function formatFileSize(bytes: number): string {
  if (bytes > 0 && bytes < 999_500) return `${Math.ceil(bytes / 1e3)} KB`;
  return bytes < 999.5e6 ? `${Math.round(bytes / 1e6)} MB` : `${formatNumber(bytes / 1e9, 1)} GB`;
}

/** Two digits of a size, since an estimate knows no more: `180 MB`, `1.3 GB`, `14 GB`. */
export function formatEstimate(bytes: number): string {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(bytes)) - 1);
  const rounded = Math.round(bytes / step) * step;
  return rounded < 10e9 ? formatFileSize(rounded) : `${Math.round(rounded / 1e9)} GB`;
}

/** `1.9 / 8.0 GB`. */
export function formatMemoryUse(usedBytes: number, budgetBytes: number): string {
  return `${formatNumber(usedBytes / 1e9, 1)} / ${formatNumber(budgetBytes / 1e9, 1)} GB`;
}

/** As model names write it: `120K`, `55M`, `0.5B`, `3B`. */
export function formatParameterCount(count: number): string {
  if (count > 0 && count < 999_500) return `${Math.ceil(count / 1e3)}K`;
  if (count < 450e6) return `${Math.round(count / 1e6)}M`;
  const tenths = Math.round(count / 1e8);
  return `${formatNumber(tenths / 10, tenths % 10 === 0 ? 0 : 1)}B`;
}

/** `0 ms`, `0.8 ms`, `42 ms`, `1.3 s`. */
export function formatMilliseconds(milliseconds: number): string {
  if (milliseconds >= 0.05 && milliseconds < 1) return `${formatNumber(milliseconds, 1)} ms`;
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${formatNumber(milliseconds / 1000, 1)} s`;
}

/** Rounded up, as nobody minds a shorter wait: `40 s`, `3 min`, `1 h 5 min`. */
export function formatDuration(seconds: number): string {
  if (seconds < 60) return `${Math.ceil(seconds)} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
