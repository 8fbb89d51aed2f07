import { formatFileSize, formatPercent, t } from '../../../server/protocol/index.js';
import type { DownloadState } from '../download/model-download.js';

export interface ProgressText {
  /** 0 to 100; null without a known total. */
  readonly percent: number | null;
  /** One line, such as `43%, 1.2 GB of 2.8 GB, 12.1 MB/s, 2 min left`. */
  readonly line: string;
}

export function progressText(state: DownloadState): ProgressText {
  switch (state.kind) {
    case 'verifying': {
      const percent = percentOf(state.checkedBytes, state.totalBytes);
      return { percent: 99, line: t('Verifying the download, {0}', formatPercent(percent)) };
    }
    case 'idle':
    case 'downloading': {
      const { receivedBytes, totalBytes } = state;
      const rate = state.kind === 'downloading' ? state.bytesPerSecond : null;
      const percent = totalBytes === null ? null : percentOf(receivedBytes, totalBytes);
      const parts = [
        percent === null ? null : formatPercent(percent),
        totalBytes === null
          ? formatFileSize(receivedBytes)
          : t('{0} of {1}', formatFileSize(receivedBytes), formatFileSize(totalBytes)),
        rate === null ? null : `${formatFileSize(rate)}/s`,
        rate === null || rate <= 0 || totalBytes === null ? null : timeLeft((totalBytes - receivedBytes) / rate),
      ];
      return { percent, line: parts.filter((part) => part !== null).join(', ') };
    }
  }
}

export function receivedBytesOf(state: DownloadState): number {
  return state.kind === 'verifying' ? state.totalBytes : state.receivedBytes;
}

/** Fewer bytes are soon there again. */
const ASK_FROM_BYTES = 100e6;

/** What to ask before a partial download is deleted; null where little is lost. */
export function discardQuestion(label: string, state: DownloadState): string | null {
  const receivedBytes = receivedBytesOf(state);
  if (receivedBytes < ASK_FROM_BYTES) return null;
  return t('Delete the {0} that are here of {1}?', formatFileSize(receivedBytes), label);
}

/** The progress of several downloads together; null without a known total. */
export function totalPercent(states: readonly DownloadState[]): number | null {
  let received = 0;
  let total = 0;
  for (const state of states) {
    if (state.totalBytes === null) return null;
    total += state.totalBytes;
    received += receivedBytesOf(state);
  }
  return percentOf(received, total);
}

/** Never 100 before the model is in its final place. */
function percentOf(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.min(99, Math.floor((part / whole) * 100));
}

function timeLeft(seconds: number): string {
  if (seconds <= 59) return t('{0} s left', Math.ceil(seconds));
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 60) return t('{0} min left', minutes);
  const hours = Math.max(1, Math.floor(seconds / 3600));
  return t('{0} h {1} min left', hours, Math.max(0, Math.floor(seconds / 60) - 60 * hours));
}
