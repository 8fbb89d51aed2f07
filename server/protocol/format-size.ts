import { formatNumber } from './translate.js';

/**
 * Size of a file or of memory in decimal units, as file managers and model pages use: `320 KB`, `42 MB`, `1.6 GB`; zero
 * is `0 MB`. Every text that people see uses this, so that the list, an error and the memory view say the same.
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
