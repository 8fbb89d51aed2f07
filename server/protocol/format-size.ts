import { formatNumber } from './translate.js';

/**
 * Size of a file or of memory in decimal units, as file managers and model pages use: `320 KB`, `42 MB`, `1.6 GB`; zero
 * is `0 MB`. Every text that people see uses this, so that the list, an error and the memory view say the same.
 */
export function formatFileSize(bytes: number): string {
  // A larger one would be rounded up to 1000 KB.
  if (bytes > 0 && bytes <= 999_000) return `${Math.ceil(bytes / 1e3)} KB`;
  return bytes < 999.5e6 ? `${Math.round(bytes / 1e6)} MB` : `${formatNumber(bytes / 1e9, 1)} GB`;
}

/** A size that is larger than a limit: it also reads as larger, and may be rounded up for that. */
export function formatLargerSize(bytes: number, limitBytes: number): string {
  const text = formatFileSize(bytes);
  if (text !== formatFileSize(limitBytes)) return text;
  return formatFileSize(bytes + (bytes < 999.5e6 ? 1e6 : 1e8));
}

/** Two digits of a size, since an estimate knows no more: `180 MB`, `1.3 GB`, `14 GB`. */
export function formatEstimate(bytes: number): string {
  const step = 10 ** Math.max(0, Math.floor(Math.log10(bytes)) - 1);
  const rounded = Math.round(bytes / step) * step;
  return rounded < 10e9 ? formatFileSize(rounded) : `${Math.round(rounded / 1e9)} GB`;
}
