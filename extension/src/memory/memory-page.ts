import {
  currentTranslations,
  formatFileSize,
  type InklingStatus,
  MEMORY_HISTORY_MS,
  type MemorySample,
  type MemorySummary,
  t,
} from '../../../server/protocol/index.js';
import {
  describeBudget,
  describeOwnMemory,
  describeOwnMemoryShortly,
  describePart,
  memoryParts,
  memoryWarning,
} from '../status/memory-parts.js';
import { statusFacts } from '../status/status-facts.js';
import {
  type BreakdownRow,
  type MemoryPage,
  type MessageToMemoryPage,
  PLOT_HEIGHT,
  PLOT_WIDTH,
  type PlotArea,
  type PlotPart,
} from './webview/messages.js';

/** From bottom to top. */
const STACK: readonly { readonly part: PlotPart; label(): string; bytes(memory: MemorySummary): number }[] = [
  {
    part: 'model',
    label: () => t('Model'),
    bytes: ({ weightsBytes, mtpWeightsBytes, keptBytes }) => weightsBytes + mtpWeightsBytes + keptBytes,
  },
  { part: 'context', label: () => t('Context'), bytes: ({ kvBytes, recurrentBytes }) => kvBytes + recurrentBytes },
  {
    part: 'kept',
    label: () => t('Caches'),
    bytes: ({ checkpointBytes, swappedBytes }) => checkpointBytes + swappedBytes,
  },
  { part: 'compute', label: () => t('Compute buffers'), bytes: ({ computeBytes }) => computeBytes },
  { part: 'chat', label: () => t('Chat model'), bytes: ({ chatModel }) => chatModel?.bytes ?? 0 },
  { part: 'rest', label: () => t('Language server'), bytes: () => Number.POSITIVE_INFINITY },
];

/** Room above the highest value; a budget slightly above that is drawn too. */
const HEADROOM = 1.15;
const BUDGET_IN_SIGHT = 3;

const MINUTE_MS = 60_000;

/** The time between two samples: one alone is not stretched over the whole plot. */
const SHORTEST_SPAN_MS = 2_000;

/** A shorter plot has seconds in its labels. */
const SECONDS_BELOW_MS = 10 * MINUTE_MS;

/**
 * What the view shows now. A server that ended for good uses nothing any more, so neither its memory nor buttons are shown.
 *
 * @param isServed whether a server runs
 */
export function memoryMessage(
  samples: readonly MemorySample[],
  now: number,
  status: InklingStatus,
  isServed: boolean,
): MessageToMemoryPage {
  const isOver = status.state.kind === 'error' && !isServed;
  const page = isOver ? null : memoryPage(samples, now, status);
  return page === null ? { kind: 'nothing', headline: headlineWithoutSamples(status) } : { kind: 'page', page };
}

/** Instead of a page. Opening the view starts a server, so only one that failed sends no samples. */
export function headlineWithoutSamples({ state }: Pick<InklingStatus, 'state'>): string {
  return state.kind === 'error' ? state.error.message : t('Waiting for the language server.');
}

/**
 * The memory view as data. The plot begins with the load, so that it is full of what happened.
 *
 * @param samples oldest first; at least the last one is drawn and described
 * @param now milliseconds since the epoch, at the plot's right edge
 */
export function memoryPage(
  samples: readonly MemorySample[],
  now: number,
  status: Pick<InklingStatus, 'remote' | 'model' | 'chat' | 'lastCompletion'>,
): MemoryPage | null {
  // After the clock was set back, earlier samples seem to come from the future.
  const shown = sinceLoad(samples.filter(({ at }) => at <= now && now - at <= MEMORY_HISTORY_MS));
  const latest = shown.at(-1)?.memory;
  const remoteHost = status.remote?.host ?? null;
  if (latest === undefined) return null;
  const most = Math.max(...shown.map(({ memory }) => memory.inUseBytes));
  const least = Math.min(...shown.map(({ memory }) => memory.inUseBytes));
  const budgetInSight = latest.budgetBytes <= most * BUDGET_IN_SIGHT;
  const topBytes = roundUp(Math.max(most, budgetInSight ? latest.budgetBytes : 0) * HEADROOM);
  const ageMs = now - (shown[0]?.at ?? now);
  const minutes = Math.max(1, Math.round(ageMs / MINUTE_MS));
  const spanMs = Math.max(ageMs, SHORTEST_SPAN_MS);
  const clock = (at: number) => clockTime(at, spanMs < SECONDS_BELOW_MS);
  const extremes = [latest.inUseBytes, least, most].map(formatFileSize);
  const warning = memoryWarning(latest);
  const use = describeUse(latest, remoteHost, status.model !== null);
  return {
    headline: warning === null ? use : t('{0}. {1}', use, warning),
    plotInWords:
      minutes === 1
        ? t('Memory in use over the last minute: now {0}, lowest {1}, highest {2}.', ...extremes)
        : t('Memory in use over the last {3} minutes: now {0}, lowest {1}, highest {2}.', ...extremes, minutes),
    areas: areasOf(shown, now, spanMs, topBytes),
    budgetY: budgetInSight ? rounded(PLOT_HEIGHT * (1 - latest.budgetBytes / topBytes)) : null,
    topLabel: formatFileSize(topBytes),
    middleLabel: formatFileSize(topBytes / 2),
    startLabel: clock(now - spanMs),
    halfwayLabel: clock(now - spanMs / 2),
    rows: breakdown(latest),
    facts: statusFacts(status),
    offers: offersOf(latest, remoteHost),
  };
}

/** @param isKnown whether the model is: a server that was not reached, or is none, holds no model that we know of */
function describeUse(memory: MemorySummary, remoteHost: string | null, isKnown: boolean): string {
  if (remoteHost === null) return describeBudget(memory);
  return isKnown ? describeOwnMemory(memory, remoteHost) : describeOwnMemoryShortly(memory);
}

/** From the last sample before the first load on; all of them where no model is loaded on this machine. */
function sinceLoad(samples: readonly MemorySample[]): readonly MemorySample[] {
  const loaded = samples.findIndex(({ memory }) => holdsModel(memory));
  return samples.slice(Math.max(0, loaded - 1));
}

/** Here, or in another window that shares it. */
function holdsModel({ weightsBytes, elsewhereBytes, chatModel }: MemorySummary): boolean {
  return weightsBytes > 0 || elsewhereBytes > 0 || chatModel !== null;
}

function clockTime(at: number, withSeconds: boolean): string {
  const format = { hour: '2-digit', minute: '2-digit' } as const;
  return new Date(at).toLocaleTimeString(
    currentTranslations().language,
    withSeconds ? { ...format, second: '2-digit' } : format,
  );
}

function offersOf(memory: MemorySummary, remoteHost: string | null): MemoryPage['offers'] {
  if (memory.chatModel !== null) return 'free';
  if (remoteHost !== null) return 'nothing';
  return holdsModel(memory) ? 'free' : 'load';
}

function areasOf(samples: readonly MemorySample[], now: number, spanMs: number, topBytes: number): PlotArea[] {
  const heights = samples.map(() => 0);
  const hasChatModel = samples.some(({ memory }) => memory.chatModel !== null);
  const areas = STACK.filter(({ part }) => part !== 'chat' || hasChatModel).map(({ part, label, bytes }): PlotArea => {
    const points = samples.map(({ at, memory }, index) => {
      const height = Math.min((heights[index] ?? 0) + bytes(memory), memory.inUseBytes);
      heights[index] = height;
      const x = rounded(PLOT_WIDTH * (1 - (now - at) / spanMs));
      return { x, y: rounded(PLOT_HEIGHT * (1 - height / topBytes)) };
    });
    return { part, label: label(), path: areaBelow(points) };
  });
  return areas.reverse();
}

/** A single sample is drawn as a narrow bar, so that it is visible at once. */
function areaBelow(points: readonly { readonly x: number; readonly y: number }[]): string {
  const [first] = points;
  const last = points.at(-1);
  if (first === undefined || last === undefined) return '';
  const left = Math.min(first.x, last.x - 2);
  const line = points.map(({ x, y }) => `L${x} ${y}`).join('');
  return `M${left} ${PLOT_HEIGHT}L${left} ${first.y}${line}L${last.x} ${PLOT_HEIGHT}Z`;
}

function breakdown(memory: MemorySummary): BreakdownRow[] {
  const { inUseBytes, peakBytes, deviceFreeBytes, deviceTotalBytes, gpus, windowCount, windowBytes } = memory;
  const { elsewhereBytes } = memory;
  const rows: BreakdownRow[] = memoryParts(memory).map((part) => ({
    label: part.label,
    value: describePart(part),
    share: part.bytes / inUseBytes,
  }));
  rows.push({ label: t('In use'), value: formatFileSize(inUseBytes), share: null });
  rows.push({ label: t('Peak since start'), value: formatFileSize(peakBytes), share: null });
  for (const { name, heldBytes, freeBytes, totalBytes } of gpus) {
    // Some drivers call all memory free.
    const sizes = [heldBytes, Math.max(0, Math.min(freeBytes, totalBytes - heldBytes)), totalBytes].map(formatFileSize);
    rows.push({ label: t('On {0}', name), value: t('{0}; {1} of {2} free', ...sizes), share: null });
  }
  if (deviceTotalBytes > 0 && gpus.length === 0) {
    const value = t('{0} of {1}', formatFileSize(deviceFreeBytes), formatFileSize(deviceTotalBytes));
    rows.push({ label: t('Free on this machine'), value, share: null });
  }
  if (elsewhereBytes > 0) {
    rows.push({ label: t('Shared with another window'), value: formatFileSize(elsewhereBytes), share: null });
  }
  if (windowCount > 1) {
    const value = t('{0} in {1} servers', formatFileSize(windowBytes), windowCount);
    rows.push({ label: t('All windows'), value, share: null });
  }
  return rows;
}

/** Rounds up to one or two digits, so that the scale stays stable while the memory varies. */
function roundUp(bytes: number): number {
  const unit = 10 ** Math.floor(Math.log10(Math.max(1, bytes))) / 2;
  return Math.ceil(bytes / unit) * unit;
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
