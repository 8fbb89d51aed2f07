import type { InklingSettings, MemorySample, MemorySummary } from '../../protocol/index.js';
import type { EngineHost } from '../engine/lifecycle/engine-host.js';
import { toEngineError } from '../engine/port/engine-error.js';
import { type MemoryReport, RELEASE_ORDER } from '../engine/port/memory-report.js';
import { Emitter } from '../util/emitter.js';
import type { Log } from '../util/log.js';
import { describeMemory, fileBackedBytes, gpuMemory, type SummaryInput } from './describe-memory.js';
import type { HasOwnMemory } from './device-memory.js';
import { MemoryHistory } from './memory-history.js';
import { type Held, type MemoryPressure, nextShedStep, type ShedDecision } from './shed-policy.js';
import type { AllWindows, WindowRegistry } from './window-registry.js';

/** Intervals between checks: long normally, short while a client watches or memory is short. */
const CALM_MS = 10_000;
const ALERT_MS = 1_500;
const SOONEST_MS = 200;

/** Smaller changes of the bytes in use are not announced. */
const ANNOUNCED_DIFFERENCE_BYTES = 10e6;

/** Without a request this long, JavaScript's garbage goes, and room that V8 keeps for more of it. */
const COLLECT_AFTER_MS = 60_000;

/** What the monitor asks the system; system-memory.ts has the real functions. */
export interface SystemSenses {
  readonly readPressure: () => Promise<MemoryPressure>;
  readonly readOnBattery: () => Promise<boolean>;
}

export interface MemoryMonitorOptions {
  readonly settings: () => InklingSettings;
  readonly machineBytes: number;
  readonly hasOwnMemory: HasOwnMemory;
  readonly senses: SystemSenses;
  readonly collectGarbage: () => void;
  /** Reports of the models that this window uses no longer, and holds for others. */
  readonly kept: () => readonly MemoryReport[];
  readonly registry: Pick<WindowRegistry, 'update' | 'leave'>;
  readonly log: Log;
}

/** Watches this server's memory, keeps its history, and frees parts of it as the policy decides. */
export class MemoryMonitor {
  readonly #host: EngineHost;
  /** Host of the model for chat alone; idle without one. */
  readonly #chatHost: EngineHost;
  readonly #options: MemoryMonitorOptions;
  readonly #history = new MemoryHistory();
  readonly #sampled = new Emitter<MemorySample>();
  readonly #changed = new Emitter<void>();
  #windows: AllWindows = { count: 1, bytes: 0 };
  #pressure: MemoryPressure = 'none';
  #watched = false;
  /** A step is running; it may have to wait for a generation. */
  #shedding = false;
  #announcedBytes = 0;
  #peakBytes = 0;
  /** Since the last request. */
  #isCollected = false;
  #timer: NodeJS.Timeout | null = null;
  #over = false;

  constructor(host: EngineHost, chatHost: EngineHost, options: MemoryMonitorOptions) {
    this.#host = host;
    this.#chatHost = chatHost;
    this.#options = options;
    this.#plan(SOONEST_MS);
  }

  /** Fires for each sample while a client watches. */
  readonly onDidSample = this.#sampled.event;

  /** Fires when the figures of `summary` differ from those last announced. */
  readonly onDidChange = this.#changed.event;

  /** Null before the first load, or if no model could be loaded. A remote model's memory is not included. */
  summary(): MemorySummary | null {
    const { client, lifecycle } = this.#host;
    const report = client.memory();
    const isWithout = report === null && this.#chatHost.client.memory() === null;
    if (isWithout && lifecycle.state.kind !== 'unloaded' && lifecycle.wanted?.remote === undefined) return null;
    return this.#describe(report);
  }

  /** As `summary`, whatever is loaded. */
  get current(): MemorySummary {
    return this.#describe(this.#host.client.memory());
  }

  /** @returns the last hour, oldest first */
  watch(): readonly MemorySample[] {
    this.#watched = true;
    this.#plan(SOONEST_MS);
    return this.#history.samples;
  }

  unwatch(): void {
    this.#watched = false;
  }

  /** Checks again, since a setting may have changed. */
  reconsider(): void {
    this.#plan(SOONEST_MS);
  }

  /** Frees everything but the weights; what is in use is freed afterwards. */
  async freeCaches(): Promise<void> {
    for (const { client } of this.#hosts) for (const each of RELEASE_ORDER) await client.release(each);
  }

  dispose(): void {
    this.#over = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#options.registry.leave();
  }

  #plan(delayMs: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#over) return;
    this.#timer = setTimeout(() => void this.#check(), delayMs);
    this.#timer.unref();
  }

  async #check(): Promise<void> {
    try {
      const { onBattery } = this.#options.settings();
      this.#pressure = await this.#options.senses.readPressure();
      const battery = onBattery !== 'keep' && (await this.#options.senses.readOnBattery());
      if (this.#over) return;
      if (this.#pressure === 'none') for (const { lifecycle } of this.#hosts) lifecycle.pressureIsOver();
      this.#collect();
      this.#measure(this.#host.client.memory());
      this.#shed(battery ? onBattery : 'keep');
    } catch (error) {
      this.#options.log.warn(`The memory could not be read: ${String(error)}`);
    } finally {
      this.#plan(this.#nextCheckMs());
    }
  }

  #collect(): void {
    const isIdle = this.#hosts.every(({ client }) => client.idleMs >= COLLECT_AFTER_MS);
    if (isIdle && !this.#isCollected) this.#options.collectGarbage();
    this.#isCollected = isIdle;
  }

  #measure(report: MemoryReport | null): void {
    // Where another window holds the model, this process maps no page of its file.
    const isHere = report !== null && report.elsewhereBytes === 0;
    const modelPath = isHere ? (this.#host.client.facts?.path ?? '') : '';
    const { inUseBytes } = this.#describe(report);
    // The sum over all windows counts the machine's memory only.
    const hostBytes = inUseBytes - gpuMemory(report, this.#input).heldBytes;
    const sharedBytes = modelPath === '' ? 0 : Math.min(fileBackedBytes(), hostBytes);
    const privateBytes = hostBytes - sharedBytes;
    const before = this.#windows;
    this.#windows = this.#options.registry.update({ pid: process.pid, privateBytes, sharedBytes, modelPath });

    const memory = this.#describe(report);
    const sample = { at: Date.now(), memory };
    this.#history.add(sample);
    if (this.#watched) this.#sampled.fire(sample);
    const hasChanged =
      Math.abs(inUseBytes - this.#announcedBytes) > ANNOUNCED_DIFFERENCE_BYTES ||
      Math.abs(before.bytes - this.#windows.bytes) > ANNOUNCED_DIFFERENCE_BYTES ||
      before.count !== this.#windows.count;
    if (!hasChanged) return;
    this.#announcedBytes = inUseBytes;
    this.#changed.fire();
  }

  /** The chat model frees first: the user who types waits for the other one. */
  #shed(onBattery: InklingSettings['onBattery']): void {
    if (this.#shedding) return;
    for (const host of [this.#chatHost, this.#host]) {
      const decision = this.#decide(host, onBattery);
      if (decision === null) continue;
      this.#shedding = true;
      this.#free(host, decision)
        .catch((error: unknown) => {
          this.#options.log.debug(`Memory could not be freed: ${toEngineError(error).message}`);
        })
        .finally(() => {
          this.#shedding = false;
        });
      return;
    }
  }

  #decide(host: EngineHost, onBattery: InklingSettings['onBattery']): ShedDecision | null {
    const report = host.client.memory();
    if (report === null) return null;
    const { inUseBytes, budgetBytes } = this.current;
    return nextShedStep({
      pressure: this.#pressure,
      overBudget: inUseBytes > budgetBytes,
      held: heldBy(report),
      // A model for chat alone has its conversations in the slot that completes in the other one.
      chatSlot: host === this.#chatHost ? 'completion' : 'chat',
      idleMs: host.client.idleMs,
      unloadAfterMs: this.#options.settings().unloadAfterMinutes * 60_000,
      onBattery,
    });
  }

  async #free({ client, lifecycle }: EngineHost, { step, reason }: ShedDecision): Promise<void> {
    if (step === 'weights') {
      await lifecycle.unload(reason === 'budget' ? 'memoryPressure' : reason);
      return;
    }
    this.#options.log.info(`Giving memory back: ${step} (${reason})`);
    await client.release(step);
  }

  #nextCheckMs(): number {
    const { unloadAfterMinutes } = this.#options.settings();
    const alert = this.#watched || this.#pressure !== 'none';
    const regular = alert ? ALERT_MS : CALM_MS;
    if (unloadAfterMinutes === 0) return regular;
    const loaded = this.#hosts.filter(({ client }) => client.memory() !== null);
    const untilUnload = loaded.map(({ client }) => unloadAfterMinutes * 60_000 - client.idleMs);
    return Math.max(SOONEST_MS, Math.min(regular, ...untilUnload));
  }

  #describe(report: MemoryReport | null): MemorySummary {
    const memory = describeMemory(report, this.#input);
    this.#peakBytes = memory.peakBytes;
    return memory;
  }

  get #input(): SummaryInput {
    const { settings, machineBytes, hasOwnMemory, kept } = this.#options;
    const requestedBytes = settings().memoryBudgetGb * 1e9;
    const { client } = this.#chatHost;
    const chatReport = client.memory();
    const chat = chatReport && { name: client.facts?.name ?? '', report: chatReport };
    return {
      requestedBytes,
      machineBytes,
      hasOwnMemory,
      windows: this.#windows,
      chat,
      kept: kept(),
      peakBytes: this.#peakBytes,
    };
  }

  get #hosts(): readonly EngineHost[] {
    return [this.#host, this.#chatHost];
  }
}

function heldBy({ checkpointBytes, swappedBytes, completion, chat }: MemoryReport): Held {
  const context = (slot: MemoryReport['chat']) =>
    slot.kvBytes + slot.recurrentBytes + slot.computeBytes + slot.graphBytes + slot.outputBytes;
  return {
    checkpoints: checkpointBytes,
    swapped: swappedBytes,
    chat: context(chat),
    completion: context(completion),
  };
}
