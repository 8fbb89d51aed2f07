import { expect, it } from 'vitest';
import type { CompletionSummary, InklingStatus } from '../../../server/protocol/index.js';
import { summarize } from '../../session/report.js';
import { SERVING_MEMORY } from '../extension/status/status-fixture.js';

const STATUS = {
  memory: { ...SERVING_MEMORY, processRssBytes: 190e6, peakBytes: 210e6, weightsBytes: 35e6 },
} as InklingStatus;

it('tells memory in the units of the status, and what was generated, shown or not', () => {
  const completion = { generatedTokens: 40, replayedTokens: 10 } as CompletionSummary;
  const lines = new Map(summarize([], [completion], STATUS));
  expect(lines.get('memory')).toMatch(/^190 MB resident, 210 MB in use at the peak \(weights 35 MB, /);
  expect(lines.get('typed along')).toBe('25 % of 40 generated tokens needed no evaluation');
});
