import { expect, it } from 'vitest';
import type { DownloadState } from '../../../../extension/src/download/model-download.js';
import { discardQuestion, progressText, totalPercent } from '../../../../extension/src/models/progress-text.js';

const half: DownloadState = { kind: 'downloading', receivedBytes: 1e9, totalBytes: 2e9, bytesPerSecond: 10e6 };

it.each([
  [half, 50, '50%, 1.0 GB of 2.0 GB, 10 MB/s, 2 min left'],
  [{ ...half, bytesPerSecond: 50e6 }, 50, '50%, 1.0 GB of 2.0 GB, 50 MB/s, 20 s left'],
  [{ ...half, bytesPerSecond: 16.9e6 }, 50, '50%, 1.0 GB of 2.0 GB, 17 MB/s, 1 min left'],
  [{ ...half, bytesPerSecond: 0.28e6 }, 50, '50%, 1.0 GB of 2.0 GB, 280 KB/s, 1 h 0 min left'],
  [{ ...half, bytesPerSecond: 0.2e6 }, 50, '50%, 1.0 GB of 2.0 GB, 200 KB/s, 1 h 23 min left'],
  [{ ...half, bytesPerSecond: 0 }, 50, '50%, 1.0 GB of 2.0 GB, 0 MB/s'],
  [{ ...half, bytesPerSecond: null }, 50, '50%, 1.0 GB of 2.0 GB'],
  [{ ...half, totalBytes: null }, null, '1.0 GB, 10 MB/s'],
  [{ ...half, receivedBytes: 2e9, bytesPerSecond: null }, 99, '99%, 2.0 GB of 2.0 GB'],
  [{ kind: 'idle', receivedBytes: 0, totalBytes: 2e9 }, 0, '0%, 0 MB of 2.0 GB'],
  [{ kind: 'verifying', checkedBytes: 1e9, totalBytes: 2e9 }, 99, 'Verifying the download, 50%'],
] as const)('%j reads %s %s', (state, percent, line) => {
  expect(progressText(state)).toEqual({ percent, line });
});

it('asks before it deletes what took a while to come', () => {
  expect(discardQuestion('Coder', half)).toBe('Delete the 1.0 GB that are here of Coder?');
  expect(discardQuestion('Coder', { ...half, receivedBytes: 99e6 })).toBeNull();
  expect(discardQuestion('Coder', { kind: 'verifying', checkedBytes: 0, totalBytes: 2e9 })).toContain('2.0 GB');
});

it('adds downloads up', () => {
  const done: DownloadState = { kind: 'verifying', checkedBytes: 0, totalBytes: 2e9 };
  expect(totalPercent([half, done])).toBe(75);
  expect(totalPercent([half, { ...half, totalBytes: null }])).toBeNull();
  expect(totalPercent([])).toBe(0);
});
