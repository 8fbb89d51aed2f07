import { describe, expect, it } from 'vitest';
import { crashedStatus, STARTING_STATUS } from '../../../../extension/src/client/session-status.js';
import { memoryHtml } from '../../../../extension/src/memory/memory-html.js';
import {
  headlineWithoutSamples,
  memoryMessage,
  memoryPage as pageOf,
} from '../../../../extension/src/memory/memory-page.js';
import { PLOT_HEIGHT, PLOT_WIDTH } from '../../../../extension/src/memory/webview/messages.js';
import type { EngineState, MemorySample, MemorySummary } from '../../../../server/protocol/index.js';
import { SERVING_MEMORY, servingStatus } from '../status/status-fixture.js';

const NOW = 1_700_000_000_000;
const sample = (minutesAgo: number, memory: Partial<MemorySummary> = {}) => ({
  at: NOW - minutesAgo * 60_000,
  memory: { ...SERVING_MEMORY, ...memory },
});
const READY = servingStatus({ kind: 'ready' });
const memoryPage = (samples: readonly MemorySample[], now: number, host: string | null = null) =>
  pageOf(samples, now, { ...READY, remote: host === null ? null : { host, kind: null } });
/** As the machine's time zone has it. */
const clock = (minutesAgo: number, options: Intl.DateTimeFormatOptions = {}) =>
  new Date(NOW - minutesAgo * 60_000).toLocaleTimeString('en', { hour: '2-digit', minute: '2-digit', ...options });

it.each<[EngineState, string]>([
  [{ kind: 'loading', progress: 0 }, 'Waiting for the language server.'],
  [{ kind: 'off' }, 'Waiting for the language server.'],
  [{ kind: 'error', error: { code: 'internal', message: 'The server crashed.' } }, 'The server crashed.'],
])('says why there is no sample while the state is %j', (state, headline) => {
  expect(headlineWithoutSamples({ state })).toBe(headline);
});

describe('memoryMessage', () => {
  const crashed = crashedStatus(5, false);

  it('shows no memory of a server that ended for good, and no buttons', () => {
    const headline = 'The language server crashed 5 times in three minutes. Inkling did not restart it.';
    expect(memoryMessage([sample(1)], NOW, crashed, false)).toEqual({ kind: 'nothing', headline });
  });

  it.each([
    ['of a server that runs, with an error or without', crashed, true],
    ['while one starts again', STARTING_STATUS, false],
  ])('shows what is known %s', (_name, status, isServed) => {
    expect(memoryMessage([sample(1)], NOW, status, isServed).kind).toBe('page');
  });
});

describe('memoryPage', () => {
  it('is nothing before the first sample', () => {
    expect(memoryPage([], NOW)).toBeNull();
    expect(memoryPage([sample(61)], NOW)).toBeNull();
  });

  it('describes the last hour in words, without older samples', () => {
    const samples = [sample(70, { inUseBytes: 9e9 }), sample(30, { inUseBytes: 50e6 }), sample(0)];
    expect(memoryPage(samples, NOW)).toMatchObject({
      headline: '0.1 / 8.0 GB budget',
      plotInWords: 'Memory in use over the last 30 minutes: now 91 MB, lowest 50 MB, highest 91 MB.',
    });
  });

  it('leaves out samples that seem to come from the future, since the clock was set back', () => {
    const page = memoryPage([sample(-600, { inUseBytes: 9e9 }), sample(1), sample(0)], NOW);
    expect(page?.plotInWords).toBe('Memory in use over the last minute: now 91 MB, lowest 91 MB, highest 91 MB.');
  });

  it.each<[string, Partial<MemorySummary>, string | null, string]>([
    ['a model is here', {}, null, 'free'],
    ['it was unloaded', { weightsBytes: 0 }, null, 'load'],
    ['another machine has the model', { weightsBytes: 0 }, 'host', 'nothing'],
    [
      'another machine has it, and one for chat alone is here',
      { weightsBytes: 0, chatModel: { name: 'talker', bytes: 50e6 } },
      'host',
      'free',
    ],
  ])('offers to load or to free memory if %s', (_, memory, remoteHost, offers) => {
    expect(memoryPage([sample(0, memory)], NOW, remoteHost)).toMatchObject({ offers });
  });

  it('says of no host that the model is there before it was reached', () => {
    const remote = { host: 'gpu', kind: null };
    expect(pageOf([sample(0)], NOW, { ...READY, model: null, remote })?.headline).toBe('91 MB on this machine');
  });

  it('reports whose memory it is while a remote server has the model', () => {
    expect(memoryPage([sample(0)], NOW, 'gpu')?.headline).toBe(
      '91 MB on this machine; the model and its memory are on gpu',
    );
  });

  it('lists the memory in use now, and only existing parts', () => {
    const rows = memoryPage([sample(1, { swappedBytes: 1e9 }), sample(0)], NOW)?.rows ?? [];
    expect(rows.map(({ label }) => label)).toEqual([
      'Weights',
      'Draft head (MTP)',
      'KV cache',
      'Recurrent state',
      'Checkpoints',
      'Compute buffers',
      'Language server',
      'In use',
      'Peak since start',
      'Free on this machine',
    ]);
    const shares = rows.map(({ share }) => share ?? 0);
    expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1);
  });

  it('says what lies on each GPU, in place of what the one device has free', () => {
    const gpus = [{ name: 'RTX 3060', heldBytes: 2e9, freeBytes: 5e9, totalBytes: 8e9 }];
    const rows = memoryPage([sample(0, { gpus })], NOW)?.rows ?? [];
    expect(rows.at(-1)).toEqual({ label: 'On RTX 3060', value: '2.0 GB; 5.0 GB of 8.0 GB free', share: null });
    const free = [{ name: 'Iris Xe', heldBytes: 2e9, freeBytes: 8e9, totalBytes: 8e9 }];
    const [last] = memoryPage([sample(0, { gpus: free })], NOW)?.rows.slice(-1) ?? [];
    expect(last?.value).toBe('2.0 GB; 6.0 GB of 8.0 GB free');
    expect(rows.map(({ label }) => label)).not.toContain('Free on this machine');
  });

  it('stacks the parts up to the memory in use, inside the plot', () => {
    const areas = memoryPage([sample(60), sample(30), sample(0)], NOW)?.areas ?? [];
    expect(areas.map(({ part }) => part)).toEqual(['rest', 'compute', 'kept', 'context', 'model']);
    const tops = areas.map(({ path }) => {
      const points = [...path.matchAll(/[ML]([\d.]+) ([\d.]+)/g)].map(([, x, y]) => ({ x: Number(x), y: Number(y) }));
      for (const { x, y } of points) {
        expect(x >= 0 && x <= PLOT_WIDTH && y >= 0 && y <= PLOT_HEIGHT, path).toBe(true);
      }
      return Math.min(...points.map(({ y }) => y));
    });
    expect(tops).toEqual([...tops].sort((left, right) => left - right));
    expect(new Set(tops).size).toBe(5);
  });

  it.each([3, 15, 21, 60])('begins with the first sample, %s minutes ago', (minutes) => {
    const page = memoryPage([sample(minutes), sample(minutes / 2), sample(0)], NOW);
    expect(page?.areas[0]?.path).toMatch(/^M0 /);
    const options: Intl.DateTimeFormatOptions = minutes < 10 ? { second: '2-digit' } : {};
    expect(page).toMatchObject({
      startLabel: clock(minutes, options),
      halfwayLabel: clock(minutes / 2, options),
    });
  });

  it('begins with the load, not with the hour in which no model was there', () => {
    const empty = { weightsBytes: 0, mtpWeightsBytes: 0 };
    const page = memoryPage([sample(50, empty), sample(20, empty), sample(19), sample(1, empty), sample(0)], NOW);
    expect(page).toMatchObject({ startLabel: clock(20) });
    expect(page?.plotInWords).toContain('over the last 20 minutes');
  });

  it('begins with the first sample where no model was loaded', () => {
    expect(memoryPage([sample(30, { weightsBytes: 0 }), sample(0, { weightsBytes: 0 })], NOW)).toMatchObject({
      startLabel: clock(30),
    });
  });

  it('draws the first second in a plot of two seconds', () => {
    const page = memoryPage([sample(1 / 60), sample(0)], NOW);
    expect(page?.areas[0]?.path).toContain(`L${PLOT_WIDTH / 2} `);
  });

  it('lists what is known of the model and the last suggestion', () => {
    expect(memoryPage([sample(0)], NOW)?.facts.map(({ label }) => label)).toEqual([
      'Model',
      'Size',
      'Last suggestion',
      'Prompt',
      'Drafts',
    ]);
  });

  it('draws the budget if it is in range', () => {
    expect(memoryPage([sample(0)], NOW)?.budgetY).toBeNull();
    const near = memoryPage([sample(0, { budgetBytes: 120e6 })], NOW);
    expect(near?.budgetY).toBeGreaterThan(0);
    expect(near?.topLabel).toBe('150 MB');
    expect(memoryPage([sample(0, { budgetBytes: 95e6 })], NOW)?.headline).toContain('almost used up');
    expect(memoryPage([sample(0, { budgetBytes: 90e6 })], NOW)?.headline).toContain('The memory budget is exceeded');
  });

  it('says how much of the model another window holds, which does not count here', () => {
    const guest = { elsewhereBytes: 5e9, weightsBytes: 0, mtpWeightsBytes: 0, inUseBytes: 0.2e9, budgetBytes: 8e9 };
    const page = memoryPage([sample(0, guest)], NOW);
    expect(page?.rows).toContainEqual({ label: 'Shared with another window', value: '5.0 GB', share: null });
    expect(page?.headline).toMatch(/^0\.2 \/ 8\.0 GB budget; model shared with another window/);
    expect(page?.offers).toBe('free');
  });

  it('names what only other windows use, which is no part of the language server', () => {
    const kept = { keptBytes: 5e9, weightsBytes: 0, mtpWeightsBytes: 0, inUseBytes: 5.2e9, budgetBytes: 8e9 };
    const page = memoryPage([sample(0, kept)], NOW);
    const share = expect.any(Number);
    expect(page?.rows).toContainEqual({ label: 'For other windows', value: '5.0 GB', share });
    expect(page?.rows).toContainEqual({ label: 'Language server', value: '169 MB', share });
    expect(page?.offers).toBe('load');
  });

  it('counts the windows if there are several', () => {
    const page = memoryPage([sample(0, { windowCount: 3, windowBytes: 20e9 })], NOW);
    expect(page?.rows.at(-1)).toEqual({ label: 'All windows', value: '20.0 GB in 3 servers', share: null });
    expect(page?.headline).toContain('3 windows');
  });
});

it('the page may load nothing but its own script and style', () => {
  const html = memoryHtml({ nonce: 'n"1', cspSource: 'vscode:', scriptUri: 's.js', styleUri: 's.css' });
  expect(html).toContain("default-src 'none'; script-src 'nonce-n&quot;1'; style-src vscode:;");
  expect(html).not.toMatch(/ style=|unsafe-inline|https?:/);
});
